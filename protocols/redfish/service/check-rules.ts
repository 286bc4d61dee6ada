import { type Json, type JsonObject, isObject } from '../json.ts';
import { base, type Message } from '../messages.ts';
import type { ListRule, NumberRule, ObjectRule, Rule, TextRule, WordRule } from '../rules.ts';

/** The accepted part of the client's object, and messages about the rest. */
interface Evaluated {
  readonly accepted: JsonObject;
  readonly messages: readonly Message[];
}

interface Evaluate {
  readonly grammar: Grammar;
  /** The current resource; missing properties are allowed. Undefined: all required properties must be present. */
  readonly current?: Json | undefined;
}

/** Maximum number of reported unknown properties; a body has room for thousands. */
const MOST_STRANGERS = 50;

const TOP: Spot = { name: '', pointer: '#' };

/** Evaluates a new resource or the parameters of an action. */
export function evaluateWhole(rule: ObjectRule, given: JsonObject, grammar: Grammar): Evaluated {
  return evaluateObject(rule, given, TOP, { grammar });
}

/** Evaluates a change; `current` is the resource as GET answers it. Each property is independent, also inside objects. */
export function evaluateChanges(rule: ObjectRule, given: JsonObject, grammar: Grammar, current: JsonObject): Evaluated {
  return evaluateObject(rule, given, TOP, { grammar, current });
}

function evaluateObject(rule: ObjectRule, given: JsonObject, spot: Spot, evaluate: Evaluate): Evaluated {
  const accepted: [string, Json][] = [];
  const messages: Message[] = [];
  for (const [name, value] of Object.entries(given)) {
    const propertyRule = Object.hasOwn(rule.properties, name) ? rule.properties[name] : undefined;
    // OData annotations such as `@odata.etag` and `Members@odata.count` are ignored (DSP0266 §7.6), except in references.
    if (value === undefined || (propertyRule === undefined && name.includes('@odata.'))) continue;
    if (propertyRule === undefined) {
      if (rule.isOpen === true) accepted.push([name, value]);
      else if (messages.length < MOST_STRANGERS) messages.push(stranger(below(spot, name), evaluate));
      continue;
    }
    const evaluated = evaluateValue(propertyRule, value, below(spot, name), inside(evaluate, name));
    messages.push(...evaluated.messages);
    if (evaluated.value !== undefined) accepted.push([name, evaluated.value]);
  }
  if (evaluate.current === undefined) {
    for (const [name, { isRequired }] of Object.entries(rule.properties)) {
      if (isRequired === true && !Object.hasOwn(given, name))
        messages.push(evaluate.grammar.missing(below(spot, name)));
    }
  }
  return { accepted: Object.fromEntries(accepted), messages };
}

/** A property that is read-only or unknown. */
function stranger(spot: Spot, { grammar, current }: Evaluate): Message {
  if (isObject(current) && Object.hasOwn(current, spot.name)) {
    return base('PropertyNotWritable', [spot.name], [spot.pointer]);
  }
  return grammar.unknown(spot);
}

interface EvaluatedValue {
  /** Undefined: nothing was accepted. */
  readonly value?: Json;
  readonly messages: readonly Message[];
}

function evaluateValue(rule: Rule, value: Json, spot: Spot, evaluate: Evaluate): EvaluatedValue {
  if (value === null && rule.isNullable === true) return { value, messages: [] };
  if (rule.kind === 'object') {
    if (!isObject(value)) return refuse(evaluate.grammar.wrongType(quote(value, rule), spot));
    const { accepted, messages } = evaluateObject(rule, value, spot, evaluate);
    const isLeft = evaluate.current === undefined ? messages.length === 0 : Object.keys(accepted).length > 0;
    return isLeft ? { value: accepted, messages } : { messages };
  }
  if (rule.kind === 'list') return evaluateList(rule, value, spot, evaluate.grammar);
  const message = fault(rule, value, spot, evaluate.grammar);
  return message === undefined ? { value, messages: [] } : refuse(message);
}

/** A list is replaced as a whole, so one invalid element makes it invalid. */
function evaluateList(rule: ListRule, value: Json, spot: Spot, grammar: Grammar): EvaluatedValue {
  if (!Array.isArray(value)) return refuse(grammar.wrongType(quote(value, rule), spot));
  const items = value as readonly Json[];
  if (items.length > rule.maxItems) {
    return refuse(base('ArraySizeTooLong', [spot.name, String(rule.maxItems)], [spot.pointer]));
  }
  const evaluated = items.map((item, index) => {
    const { pointer } = below(spot, String(index));
    return evaluateValue(rule.items, item, { name: spot.name, pointer }, { grammar });
  });
  const messages = evaluated.flatMap((one) => one.messages);
  return messages.length > 0 ? { messages } : { value: evaluated.flatMap((one) => one.value ?? []), messages };
}

function fault(
  rule: Exclude<Rule, ListRule | ObjectRule>,
  value: Json,
  spot: Spot,
  grammar: Grammar,
): Message | undefined {
  switch (rule.kind) {
    case 'flag':
      return typeof value === 'boolean' ? undefined : grammar.wrongType(quote(value, rule), spot);
    case 'number':
      return numberFault(rule, value, spot, grammar);
    case 'word':
      if (typeof value !== 'string') return grammar.wrongType(quote(value, rule), spot);
      return rule.words.includes(value)
        ? undefined
        : wordFault(rule, value, grammar.notInList(quote(value, rule), spot));
    case 'text':
      return textFault(rule, value, spot, grammar);
  }
}

function wordFault({ absent = {} }: WordRule, value: string, message: Message): Message {
  const why = Object.hasOwn(absent, value) ? absent[value] : undefined;
  return why === undefined ? message : { ...message, Resolution: why };
}

function numberFault(rule: NumberRule, value: Json, spot: Spot, grammar: Grammar): Message | undefined {
  if (!Number.isInteger(value)) return grammar.wrongType(quote(value, rule), spot);
  const isWithin = Number(value) >= rule.least && Number(value) <= rule.most;
  return isWithin ? undefined : grammar.outOfRange(quote(value, rule), spot);
}

function textFault(rule: TextRule, value: Json, spot: Spot, grammar: Grammar): Message | undefined {
  if (typeof value !== 'string') return grammar.wrongType(quote(value, rule), spot);
  if (value.length > rule.maxLength) {
    return base('StringValueTooLong', [quote(value, rule), String(rule.maxLength)], [spot.pointer]);
  }
  if (rule.minLength !== undefined && value.length < rule.minLength) {
    return base('StringValueTooShort', [quote(value, rule), String(rule.minLength)], [spot.pointer]);
  }
  const isInPattern = rule.pattern === undefined || value.search(rule.pattern) !== -1;
  return isInPattern ? undefined : grammar.wrongFormat(quote(value, rule), spot);
}

function refuse(message: Message): EvaluatedValue {
  return { messages: [message] };
}

function inside({ grammar, current }: Evaluate, name: string): Evaluate {
  if (current === undefined) return { grammar };
  return { grammar, current: (isObject(current) ? current[name] : undefined) ?? null };
}

/** Location of a value. */
interface Spot {
  readonly name: string;
  /** `#/Boot/BootSourceOverrideTarget` */
  readonly pointer: string;
}

/** Messages for broken rules; properties and action parameters use different ones. */
interface Grammar {
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
function quote(value: Json, rule: Rule): string {
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
function below(spot: Spot, name: string): Spot {
  return { name, pointer: `${spot.pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` };
}
