import { arrayOr, at, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Column } from '../resources/index.ts';

/** A column of type string, always shown. */
export function column(name: string, cell: Column['cell']): Column {
  return { name, type: 'string', cell: (object, now) => cell(object, now) ?? '' };
}

/** A column that only `-o wide` shows. */
export function wide(name: string, cell: Column['cell']): Column {
  return { ...column(name, cell), priority: 1 };
}

export const nameColumn: Column = { ...column('Name', (object) => object.metadata.name), format: 'name' };

export const ageColumn: Column = column('Age', (object, now) => age(object.metadata.creationTimestamp, now));

export const createdColumn: Column = {
  ...column('Created At', (object) => object.metadata.creationTimestamp),
  type: 'date',
};

/** The objects in the list at `path`. */
export function items(object: unknown, ...path: string[]): JsonObject[] {
  return arrayOr(at(object, ...path)).filter(isObject);
}

/** `a=b,c=d`, sorted. */
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

/** The number of entries of a map. */
export function count(object: ApiObject, key: string): number {
  return Object.keys(objectOr(object[key])).length;
}

/** The time since an RFC 3339 time, in kubectl's format: `3d4h`, `5m30s`; `<unknown>` if there is no time. */
export function age(instant: unknown, now: number): string {
  if (typeof instant !== 'string' || instant === '') return '<unknown>';
  const then = Date.parse(instant);
  return Number.isNaN(then) ? '<invalid>' : duration(now - then);
}

/** apimachinery's HumanDuration. */
export function duration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 192) return pair(days, 'd', hours % 24, 'h');
  if (days < 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  return years < 8 ? pair(years, 'y', days % 365, 'd') : `${years}y`;
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
