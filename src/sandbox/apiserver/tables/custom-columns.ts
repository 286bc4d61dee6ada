import { isObject, textOr, type Json } from '../json.ts';
import type { Column } from '../resources/index.ts';
import { age } from './age.ts';
import { compileJsonPath } from './json-path.ts';
import { nameColumn, ageColumn } from './builtin-columns.ts';

/** Columns of a custom resource: its name, then those of `additionalPrinterColumns`, or its age where there are none. */
export function customColumns(definitions: Json | undefined): Column[] {
  if (!Array.isArray(definitions) || definitions.length === 0) return [nameColumn, ageColumn];
  return [
    nameColumn,
    ...definitions.filter(isObject).map((definition): Column => {
      const path = textOr(definition['jsonPath']);
      const type = textOr(definition['type']);
      const read = compileJsonPath(path);
      return {
        name: textOr(definition['name']),
        type,
        format: textOr(definition['format']),
        description:
          textOr(definition['description']) || `Custom resource definition column (in JSONPath format): ${path}`,
        priority: typeof definition['priority'] === 'number' ? definition['priority'] : 0,
        cell: (object, now) => cellOf(read?.(object) ?? [], type, now),
      };
    }),
  ];
}

function cellOf(found: Json[], type: string, now: number): Json {
  const [first] = found;
  if (first === undefined) return null;
  switch (type) {
    case 'date':
      return typeof first === 'string' ? age(first, now) : null;
    case 'integer':
    case 'number':
      return typeof first === 'number' ? first : null;
    case 'boolean':
      return typeof first === 'boolean' ? first : null;
    default:
      return found.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join(',');
  }
}
