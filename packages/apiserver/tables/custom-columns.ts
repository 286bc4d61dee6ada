import { isObject, textOr, type Json } from '../json.ts';
import type { Column } from '../resources/index.ts';
import { age } from './age.ts';
import { nameColumn } from './column.ts';
import { compileJsonPath } from './json-path.ts';

const AGE: Json = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** Columns of a custom resource: its name, then those of `additionalPrinterColumns`, or its age where there are none. */
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
      // Of several values the first is shown.
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
