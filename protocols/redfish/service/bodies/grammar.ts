import type { Json } from '../../json.ts';
import { base, type Message } from '../../messages/index.ts';
import type { Rule } from '../../rules.ts';

/** What was wrong with which property or parameter. */
export interface Spot {
  readonly name: string;
  /** `#/Boot/BootSourceOverrideTarget` */
  readonly pointer: string;
}

/** The messages of broken rules: properties and the parameters of actions have their own. */
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

/** As {@link PROPERTIES}, of what a new resource is made of. */
export const NEW_PROPERTIES: Grammar = {
  ...PROPERTIES,
  missing: ({ name, pointer }) => base('CreateFailedMissingReqProperties', [name], [pointer]),
};

/** The registry has no message for a parameter that is out of range. */
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

/** Characters of a value that a message quotes. */
const QUOTED = 64;

/** What of a value comes back in a message; nothing of what is secret, not even how long it is. */
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

/** A step further down, escaped as RFC 6901 §3 has it. */
export function below(spot: Spot, name: string): Spot {
  return { name, pointer: `${spot.pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` };
}
