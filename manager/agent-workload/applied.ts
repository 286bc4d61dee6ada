import { sameQuantity, isRecord, type Draft, type KubeObject } from '@groundcrew/controller-runtime';
import { hash } from 'node:crypto';

/**
 * The draft with its digest in an annotation, to be applied. The digest shows whether the object is up to date; a
 * comparison of fields would not detect that one was removed from the draft.
 *
 * @param annotation for the digest
 */
export function stamped<T extends KubeObject>(draft: Draft<T>, annotation: string): Draft<T> {
  const annotations = { ...draft.metadata.annotations, [annotation]: digest(draft) };
  return { ...draft, metadata: { ...draft.metadata, annotations } };
}

/** A digest of a JSON value, 16 hex digits; the order of keys does not matter. */
export function digest(value: unknown): string {
  return hash('sha256', JSON.stringify(sorted(value))).slice(0, 16);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const members: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) members[key] = sorted(value[key]);
  return members;
}

/**
 * Whether everything in `wanted`, such as a stamped draft, is in the object `actual`. Other fields of `actual` (defaults, status, fields of other owners)
 * are ignored. List elements are matched by `name` or by `uid` if all wanted elements have one, as server-side apply
 * merges them; other lists must have equal length and order. Quantities are compared by value.
 */
export function covers(actual: unknown, wanted: unknown): boolean {
  if (wanted === undefined || actual === wanted) return true;
  if (Array.isArray(wanted)) return Array.isArray(actual) && coversList(actual, wanted);
  if (isRecord(wanted)) {
    return isRecord(actual) && Object.entries(wanted).every(([key, value]) => coversMember(key, actual[key], value));
  }
  return false;
}

function coversMember(key: string, actual: unknown, wanted: unknown): boolean {
  if (key === 'requests' || key === 'limits') return coversQuantities(actual, wanted);
  // Absent, empty and null are equal: the server omits empty maps and lists.
  if (isEmpty(wanted)) return actual === undefined || actual === null || covers(actual, wanted);
  return covers(actual, wanted);
}

function coversQuantities(actual: unknown, wanted: unknown): boolean {
  if (!isRecord(wanted)) return covers(actual, wanted);
  return Object.entries(wanted).every(([name, value]) => isRecord(actual) && sameQuantity(actual[name], value));
}

function coversList(actual: unknown[], wanted: unknown[]): boolean {
  const key = ['name', 'uid'].find((name) => wanted.length > 0 && wanted.every((element) => hasText(element, name)));
  if (key === undefined) {
    return actual.length === wanted.length && wanted.every((element, index) => covers(actual[index], element));
  }
  return wanted.every((element) => covers(find(actual, key, element), element));
}

function find(list: unknown[], key: string, like: unknown): unknown {
  return list.find((element) => isRecord(element) && isRecord(like) && element[key] === like[key]);
}

function hasText(value: unknown, key: string): boolean {
  return isRecord(value) && typeof value[key] === 'string';
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0;
}
