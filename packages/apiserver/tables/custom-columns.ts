import { isObject, textOr, type Json } from '../json.ts';
import type { Column } from '../resources/index.ts';
import { age, nameColumn } from './column.ts';

const AGE: Json = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** The columns of a custom resource: the name, and `additionalPrinterColumns` or the age. */
export function customColumns(definitions: Json | undefined): Column[] {
  const given: Json[] = Array.isArray(definitions) && definitions.length > 0 ? definitions : [AGE];
  const columns = [nameColumn];
  for (const definition of given.filter(isObject)) {
    const path = textOr(definition['jsonPath']);
    const read = compileJsonPath(path);
    const type = textOr(definition['type']);
    columns.push({
      name: textOr(definition['name']),
      type,
      format: textOr(definition['format']),
      description:
        textOr(definition['description']) || `Custom resource definition column (in JSONPath format): ${path}`,
      priority: typeof definition['priority'] === 'number' ? definition['priority'] : 0,
      // Show the first of several values.
      cell: (object, now) => cellOf(read?.(object)[0], type, now),
    });
  }
  return columns;
}

function cellOf(value: Json | undefined, type: string, now: number): Json {
  if (value === undefined) return null;
  switch (type) {
    case 'string':
      return textOf(value);
    case 'date':
      return typeof value === 'string' ? dateText(value, now) : null;
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    default:
      return null;
  }
}

function textOf(value: Json): string {
  if (value === null) return '<no value>';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function dateText(text: string, now: number): string {
  if (text === '' || text === 'null') return '<unknown>';
  return !/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(Date.parse(text)) ? '<invalid>' : age(text, now);
}

/** One step of a JSONPath: maps the matched values to the next matched values. */
type Step = (values: Json[]) => Json[];

const FIELD = /^\.((?:\\.|[^.[\]\\{}\s])+)/;
const KEY = /^\['([^']+)'\]/;
const INDEX = /^\[(-?\d+|\*)\]/;
const FILTER = /^\[\?\(@([^!=]*?)\s*(?:(==|!=)\s*("[^"]*"|'[^']*'|[^"')]+))?\)\]/;

/**
 * Compiles the JSONPath of a printer column: fields, indexes, `*` and filters with one comparison. Returns undefined for
 * the other syntax of client-go's jsonpath, and for syntax errors.
 */
export function compileJsonPath(path: string): ((value: Json) => Json[]) | undefined {
  const steps: Step[] = [];
  let rest = path.trim();
  while (rest !== '') {
    const found = nextStep(rest);
    if (found === undefined) return undefined;
    steps.push(found.step);
    rest = rest.slice(found.length);
  }
  return (value) => steps.reduce<Json[]>((values, step) => step(values), [value]);
}

function nextStep(text: string): { step: Step; length: number } | undefined {
  const name = FIELD.exec(text) ?? KEY.exec(text);
  if (name !== null) {
    const [match, key = ''] = name;
    return { step: key === '*' ? children : field(key.replaceAll('\\', '')), length: match.length };
  }
  const index = INDEX.exec(text);
  if (index !== null) {
    const [match, position = ''] = index;
    return { step: position === '*' ? children : item(Number(position)), length: match.length };
  }
  const [match, left = '', operator, right = ''] = FILTER.exec(text) ?? [];
  const read = match === undefined ? undefined : compileJsonPath(left);
  if (match === undefined || read === undefined) return undefined;
  const passes = operator === undefined ? exists(read) : compares(read, operator, literal(right.trim()));
  return {
    step: (values) => values.flatMap((value) => (Array.isArray(value) ? value.filter(passes) : [])),
    length: match.length,
  };
}

const children: Step = (values) =>
  values.flatMap((value) => (typeof value === 'object' && value !== null ? (Object.values(value) as Json[]) : []));

/** A missing key is not an error. */
function field(name: string): Step {
  return (values) =>
    values.flatMap((value) => (isObject(value) && Object.hasOwn(value, name) ? [value[name] ?? null] : []));
}

function item(index: number): Step {
  return (values) =>
    values.flatMap((value) => {
      const found = Array.isArray(value) ? value.at(index) : undefined;
      return found === undefined ? [] : [found];
    });
}

function exists(read: (value: Json) => Json[]): (item: Json) => boolean {
  return (value) => read(value).length > 0;
}

function compares(read: (value: Json) => Json[], operator: string, wanted: Json): (item: Json) => boolean {
  return (value) => {
    const [found] = read(value);
    if (found === undefined || typeof found !== typeof wanted) return false;
    return operator === '==' ? found === wanted : found !== wanted;
  };
}

function literal(text: string): Json {
  if (/^["']/.test(text)) return text.slice(1, -1);
  if (text === 'true' || text === 'false') return text === 'true';
  const number = Number(text);
  // An unquoted word matches nothing.
  return Number.isNaN(number) ? null : number;
}
