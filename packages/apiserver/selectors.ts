import { nameRules } from './schema/index.ts';
import { badRequest } from './status.ts';
import type { ApiObject } from './objects.ts';
import type { Resource } from './resources/index.ts';

type Operator = 'in' | 'notin' | 'gt' | 'lt' | 'exists' | '!';

interface Requirement {
  key: string;
  operator: Operator;
  values: readonly string[];
}

export type LabelMatch = (labels: Record<string, string> | undefined) => boolean;

/** Parses the label selector of a query: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`. Throws 400. */
export function parseLabelSelector(text: string): LabelMatch {
  // Commas in parentheses belong to a list of values.
  const requirements = text.trim() === '' ? [] : text.split(/,(?![^(]*\))/).map(parseRequirement);
  return (labels) => requirements.every((requirement) => matches(requirement, labels ?? {}));
}

function matches({ key, operator, values }: Requirement, labels: Record<string, string>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'in':
      return value !== undefined && values.includes(value);
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'gt':
      return isInteger(value) && Number(value) > Number(values[0]);
    case 'lt':
      return isInteger(value) && Number(value) < Number(values[0]);
  }
}

function isInteger(value: string | undefined): value is string {
  return value !== undefined && /^[-+]?\d+$/.test(value);
}

/** One requirement: a key, with an operator and a value, or with a list of values. */
const REQUIREMENT = /^(!?)\s*([^\s=!<>(),]+)\s*(?:(==|!=|=|>|<)\s*([^\s=!<>(),]*)|\s(in|notin)\s*\(([^()]*)\))?$/;
const SYMBOLS: Readonly<Record<string, Operator>> = { '=': 'in', '==': 'in', '!=': 'notin', '>': 'gt', '<': 'lt' };

function parseRequirement(text: string): Requirement {
  const [match, negation, key = '', symbol = '', value = '', set, list = ''] = REQUIREMENT.exec(text.trim()) ?? [];
  if (match === undefined || (negation === '!' && (symbol !== '' || set !== undefined))) throw unparsable(text);
  if (nameRules.qualifiedName(key).length > 0) throw unparsable(text);
  if (set === 'in' || set === 'notin') return checked({ key, operator: set, values: list.split(',') }, text);
  const operator = SYMBOLS[symbol];
  if (operator !== undefined) return checked({ key, operator, values: [value] }, text);
  return { key, operator: negation === '!' ? '!' : 'exists', values: [] };
}

function checked({ key, operator, values }: Requirement, text: string): Requirement {
  const trimmed = values.map((value) => value.trim());
  const isWrong = (value: string): boolean =>
    nameRules.labelValue(value).length > 0 || ((operator === 'gt' || operator === 'lt') && !isInteger(value));
  if (trimmed.some(isWrong)) throw unparsable(text);
  return { key, operator, values: trimmed };
}

function unparsable(text: string): Error {
  return badRequest(`unable to parse requirement: ${JSON.stringify(text)}`);
}

type ObjectMatch = (object: ApiObject) => boolean;

type Fields = Resource['selectableFields'];

/** Parses a field selector, `a=b,c!=d`. Throws 400 for syntax errors and for fields that are not selectable. */
export function parseFieldSelector(text: string, resource: Resource): ObjectMatch {
  const fields = selectableFields(resource);
  const terms = text
    .split(',')
    .filter((term) => term !== '')
    .map((term) => parseTerm(term, fields));
  return (object) => terms.every(({ read, value, equals }) => (read(object) === value) === equals);
}

function parseTerm(term: string, fields: Fields): { read: Fields[string]; equals: boolean; value: string } {
  const [match, path = '', operator = '', value = ''] = /^([^=!]*)(!=|==|=)([^=\\]*)$/.exec(term) ?? [];
  if (match === undefined) throw badRequest(`the field selector ${JSON.stringify(term)} cannot be parsed`);
  const read = Object.hasOwn(fields, path) ? fields[path] : undefined;
  if (read === undefined) throw badRequest(`field label not supported: ${path}`);
  return { read, equals: operator !== '!=', value };
}

function selectableFields({ custom, namespaced, selectableFields: own }: Resource): Fields {
  // Cluster-scoped kinds that define their own field labels have no metadata.namespace field.
  const isWithoutNamespace = !namespaced && (custom || Object.keys(own).length > 0);
  return {
    'metadata.name': (object) => object.metadata.name,
    ...(isWithoutNamespace ? {} : { 'metadata.namespace': (object) => object.metadata.namespace ?? '' }),
    ...own,
  };
}
