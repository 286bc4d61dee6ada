import { canonicalTime } from '../golang/index.ts';
import { isObject, textOr, type Json } from '../json.ts';
import type { Column } from '../resources/index.ts';
import { goJson, goValue } from '../schema/index.ts';
import { age } from './age.ts';
import descriptions from './builtin-descriptions.json' with { type: 'json' };
import { nameColumn } from './column.ts';
import { compileJsonPath } from './json-path.ts';

const NAME: Column = {
  ...nameColumn,
  description: descriptions['apiextensions.k8s.io/customresourcedefinitions'].Name,
};

const AGE: Json = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: descriptions['apiextensions.k8s.io/customresourcedefinitions']['Created At'],
};

/** Columns of a custom resource: its name, then those of `additionalPrinterColumns`, or its age where there are none. */
export function customColumns(definitions: Json | undefined): Column[] {
  const given: Json[] = Array.isArray(definitions) && definitions.length > 0 ? definitions : [AGE];
  const columns = [NAME];
  for (const definition of given.filter(isObject)) {
    const path = textOr(definition['jsonPath']);
    const read = compileJsonPath(path);
    // A path that cannot be read takes the columns behind it with it.
    if (read === undefined) return columns;
    const type = textOr(definition['type']);
    columns.push({
      name: textOr(definition['name']),
      type,
      format: textOr(definition['format']),
      description:
        textOr(definition['description']) || `Custom resource definition column (in JSONPath format): ${path}`,
      priority: typeof definition['priority'] === 'number' ? definition['priority'] : 0,
      // Of several values the first is shown.
      cell: (object, now) => cellOf(read(object)[0], type, now),
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
  return typeof value === 'object' ? goJson(value) : goValue(value);
}

function dateText(text: string, now: number): string {
  if (text === '' || text === 'null') return '<unknown>';
  try {
    return age(canonicalTime(text), now);
  } catch {
    return '<invalid>';
  }
}
