import { arrayOr, at, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Column } from '../resources/index.ts';
import { age } from './age.ts';

/** A column of text, or of what is shown as it is. */
export function column(name: string, cell: Column['cell']): Column {
  return { name, type: 'string', cell: (object, now) => cell(object, now) ?? '' };
}

/** One that `-o wide` alone shows. */
export function wide(name: string, cell: Column['cell']): Column {
  return { ...column(name, cell), priority: 1 };
}

export const nameColumn: Column = { ...column('Name', (object) => object.metadata.name), format: 'name' };

export const ageColumn: Column = column('Age', (object, now) => age(object.metadata.creationTimestamp, now));

export const createdColumn: Column = {
  ...column('Created At', (object) => object.metadata.creationTimestamp),
  type: 'date',
};

/** The objects in a list. */
export function items(object: unknown, ...path: string[]): JsonObject[] {
  return arrayOr(at(object, ...path)).filter(isObject);
}

/** `a=b,c=d`, in the order of the keys. */
export function labelText(labels: Json | undefined): string {
  return (
    Object.entries(objectOr(labels))
      .map(([key, value]) => `${key}=${textOr(value)}`)
      .sort()
      .join(',') || '<none>'
  );
}

/** A metav1.LabelSelector as text. */
export function selectorText(selector: Json | undefined): string {
  const labels = Object.entries(objectOr(at(selector, 'matchLabels'))).map(([key, value]) => ({
    key,
    text: `${key}=${textOr(value)}`,
  }));
  const expressions = items(selector, 'matchExpressions').map((expression) => ({
    key: textOr(expression['key']),
    text: expressionText(expression),
  }));
  return [...labels, ...expressions]
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ text }) => text)
    .join(',');
}

function expressionText({ key, operator, values }: JsonObject): string {
  const list = arrayOr(values).map(textOr).sort().join(',');
  const texts: Record<string, string> = {
    In: `${textOr(key)} in (${list})`,
    NotIn: `${textOr(key)} notin (${list})`,
    Exists: textOr(key),
    DoesNotExist: `!${textOr(key)}`,
  };
  return texts[textOr(operator)] ?? '<invalid>';
}

/** How many entries a map has. */
export function count(object: ApiObject, key: string): number {
  return Object.keys(objectOr(object[key])).length;
}
