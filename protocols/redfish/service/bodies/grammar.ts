import type { Json } from '../../json.ts';
import { base, type Message } from '../../messages/index.ts';
import type { Rule } from '../../rules.ts';

/** Location of a value. */
export interface Spot {
  readonly name: string;
  /** `#/Boot/BootSourceOverrideTarget` */
  readonly pointer: string;
}

/** Messages for broken rules; properties and action parameters use different ones. */
export interface Grammar {
  missing(spot: Spot): Message;
  unknown(spot: Spot): Message;
  wrongType(shown: string, spot: Spot): Message;
  notInList(shown: string, spot: Spot): Message;
  outOfRange(shown: string, spot: Spot): Message;
  wrongFormat(shown: string, spot: Spot): Message;
}

export const PROPERTIES: Grammar = {
  missing: ({ name, pointer }) => base('PropertyMissing', [name], [pointer]),
  unknown: ({ name, pointer }) => base('PropertyUnknown', [name], [pointer]),
  wrongType: (shown, { name, pointer }) => base('PropertyValueTypeError', [shown, name], [pointer]),
  notInList: (shown, { name, pointer }) => base('PropertyValueNotInList', [shown, name], [pointer]),
  outOfRange: (shown, { name, pointer }) => base('PropertyValueOutOfRange', [shown, name], [pointer]),
  wrongFormat: (shown, { name, pointer }) => base('PropertyValueFormatError', [shown, name], [pointer]),
};

/** Like {@link PROPERTIES}, for a new resource. */
export const NEW_PROPERTIES: Grammar = {
  ...PROPERTIES,
  missing: ({ name, pointer }) => base('CreateFailedMissingReqProperties', [name], [pointer]),
};

/** The registry has no message for a parameter out of range. */
export function parametersOf(action: string): Grammar {
  const wrongFormat = (shown: string, { name, pointer }: Spot): Message =>
    base('ActionParameterValueFormatError', [shown, name, action], [pointer]);
  return {
    missing: ({ name, pointer }) => base('ActionParameterMissing', [action, name], [pointer]),
    unknown: ({ name, pointer }) => base('ActionParameterUnknown', [action, name], [pointer]),
    wrongType: (shown, { name, pointer }) => base('ActionParameterValueTypeError', [shown, name, action], [pointer]),
    notInList: (shown, { name, pointer }) => base('ActionParameterValueNotInList', [shown, name, action], [pointer]),
    outOfRange: wrongFormat,
    wrongFormat,
  };
}

/** Maximum characters of a value in a message. */
const QUOTED = 64;

/** The value for a message; nothing of a secret, not even its length. */
export function quote(value: Json, rule: Rule): string {
  if (holdsSecret(rule)) return '******';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > QUOTED ? `${text.slice(0, QUOTED)}…` : text;
}

function holdsSecret(rule: Rule): boolean {
  if (rule.kind === 'text') return rule.isSecret === true;
  if (rule.kind === 'list') return holdsSecret(rule.items);
  return rule.kind === 'object' && (rule.isOpen === true || Object.values(rule.properties).some(holdsSecret));
}

/** A child location, escaped by RFC 6901 §3. */
export function below(spot: Spot, name: string): Spot {
  return { name, pointer: `${spot.pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` };
}
