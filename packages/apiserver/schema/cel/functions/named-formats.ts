import { hasFormat } from '../../formats.ts';
import { quoted } from '../../go-text.ts';
import { nameRules } from '../../name-rules.ts';
import { FORMAT, listOf, optionalOf, STRING } from '../types.ts';
import { OpaqueValue, OptionalValue, PlainList } from '../values.ts';
import { member, plain, type Functions } from './declaration.ts';

/** By their names: what is wrong with a text. */
const FORMATS: Readonly<Record<string, (text: string) => string[]>> = {
  dns1123Label: (text) => nameRules.dns1123Label(text),
  dns1123Subdomain: (text) => nameRules.dns1123Subdomain(text),
  dns1035Label: (text) => nameRules.dns1035Label(text),
  qualifiedName: (text) => nameRules.qualifiedName(text),
  labelValue: (text) => nameRules.labelValue(text),
  dns1123LabelPrefix: (text) => nameRules.dns1123Label(prefix(text)),
  dns1123SubdomainPrefix: (text) => nameRules.dns1123Subdomain(prefix(text)),
  dns1035LabelPrefix: (text) => nameRules.dns1035Label(prefix(text)),
  uri: (text) =>
    hasFormat(text, 'uri') ? [] : [`parse ${quoted(text)}: ${text === '' ? 'empty url' : 'invalid URI for request'}`],
  uuid: of('uuid', 'does not match the UUID format'),
  byte: of('byte', 'invalid base64'),
  date: of('date', 'invalid date'),
  datetime: of('datetime', 'invalid datetime'),
};

/** Kubernetes' library of named formats. */
export const NAMED_FORMATS: Functions = {
  ...Object.fromEntries(
    Object.keys(FORMATS).map((name) => [`format.${name}`, [plain([], FORMAT, () => new NamedFormat(name))]]),
  ),
  'format.named': [
    plain([STRING], optionalOf(FORMAT), (name: string) =>
      Object.hasOwn(FORMATS, name) ? new OptionalValue(new NamedFormat(name)) : OptionalValue.none,
    ),
  ],
  validate: [
    member([FORMAT, STRING], optionalOf(listOf(STRING)), (format: NamedFormat, text: string) => {
      const problems = FORMATS[format.format]?.(text) ?? [];
      return problems.length === 0 ? OptionalValue.none : new OptionalValue(new PlainList(problems));
    }),
  ],
};

class NamedFormat extends OpaqueValue {
  readonly typeName = 'kubernetes.NamedFormat';
  readonly format: string;

  constructor(format: string) {
    super();
    this.format = format;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof NamedFormat && other.format === this.format;
  }
}

/** What follows a prefix makes up for a dash at its end. */
function prefix(text: string): string {
  return text.replace(/-$/, 'a');
}

function of(format: string, problem: string): (text: string) => string[] {
  return (text) => (hasFormat(text, format) ? [] : [problem]);
}
