import { arrayOr, clone, equal, isObject, type Json, type JsonObject } from '../json.ts';
import { propertyOf, type Schema } from '../schema/index.ts';
import { badRequest, StatusError } from '../status.ts';

/**
 * RFC 7386: null removes a member, objects are merged, other values are replaced. Nulls in new members are removed too,
 * as in kube-apiserver's library. The result shares unchanged parts with `target`, which is not changed.
 */
export function applyMergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) Reflect.deleteProperty(result, key);
    else result[key] = merged(result[key] ?? null, value);
  }
  return result;
}

function merged(target: Json, patch: Json): Json {
  if (!isObject(target)) return withoutNulls(patch);
  return isObject(patch) ? applyMergePatch(target, patch) : patch;
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, child] of Object.entries(value)) {
    if (child !== null && child !== undefined) result[key] = withoutNulls(child);
  }
  return result;
}

/**
 * Kubernetes' strategic merge patch: lists with the patch strategy `merge` are merged item by item, others are replaced.
 * Supports the directives `$patch`, `$retainKeys`, `$setElementOrder/x` and `$deleteFromPrimitiveList/x`.
 * Throws 400 and 500 for invalid patches, as kube-apiserver does.
 */
export function applyStrategicMergePatch(
  target: JsonObject,
  patch: JsonObject,
  schema: Schema | undefined,
): JsonObject {
  const directive = patch['$patch'];
  if (directive === 'replace') return withoutDirectives(patch);
  if (directive === 'delete') return {};
  if (directive !== undefined)
    throw invalidPatch(`unknown patch type: ${JSON.stringify(directive)} in map: ${JSON.stringify(patch)}`);
  const result: JsonObject = retained(target, patch);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$') || value === undefined) continue;
    if (value === null) Reflect.deleteProperty(result, key);
    else result[key] = mergeValue(result[key], value, propertyOf(schema, key), patch[`$setElementOrder/${key}`]);
  }
  applyListDirectives(result, patch, schema);
  return result;
}

/** `$setElementOrder` and `$deleteFromPrimitiveList` can be present without the list itself. */
function applyListDirectives(result: JsonObject, patch: JsonObject, schema: Schema | undefined): void {
  for (const [directive, value] of Object.entries(patch)) {
    const [name = '', key = ''] = directive.split('/');
    if (name === '$setElementOrder' && !Array.isArray(value)) throw invalidPatch(`${directive}: must be a list`);
    const list = result[key];
    if (!Array.isArray(list)) continue;
    if (name === '$deleteFromPrimitiveList') {
      result[key] = list.filter((item) => !arrayOr(value).some((other) => equal(item, other)));
    } else if (name === '$setElementOrder' && patch[key] === undefined) {
      result[key] = ordered(list, arrayOr(value), list, propertyOf(schema, key)?.['x-kubernetes-patch-merge-key']);
    }
  }
}

function mergeValue(target: Json | undefined, patch: Json, schema: Schema | undefined, order: Json | undefined): Json {
  const strategies = (schema?.['x-kubernetes-patch-strategy'] ?? '').split(',');
  if (isObject(patch)) {
    if (strategies.includes('replace')) return withoutDirectives(patch);
    return applyStrategicMergePatch(isObject(target) ? target : {}, patch, schema);
  }
  if (!Array.isArray(patch) || !strategies.includes('merge')) return clone(patch);
  const isPlain = order === undefined && !patch.some((item) => isObject(item) && item['$patch'] !== undefined);
  // Without a list to merge with, duplicates are kept.
  if (target === undefined && isPlain) return patch.map((item) => (isObject(item) ? withoutDirectives(item) : item));
  const list = arrayOr(target);
  const key = schema?.['x-kubernetes-patch-merge-key'];
  const merged = key === undefined ? mergeSet(list, patch) : mergeItems(list, patch, key, schema?.items);
  return ordered(merged, Array.isArray(order) ? order : patch, list, key);
}

function mergeSet(target: Json[], patch: Json[]): Json[] {
  return [...target, ...patch.filter((item) => !target.some((other) => equal(item, other)))];
}

function mergeItems(target: Json[], patch: Json[], key: string, schema: Schema | undefined): Json[] {
  const items = patch.filter(isObject);
  if (items.some((item) => item['$patch'] === 'replace')) {
    return items.filter((item) => item['$patch'] !== 'replace').map(withoutDirectives);
  }
  let result = target;
  for (const item of items) {
    const identity = item[key];
    if (identity === undefined)
      throw invalidPatch(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    const isSame = (other: Json) => isObject(other) && equal(other[key], identity);
    if (item['$patch'] === 'delete') {
      result = result.filter((other) => !isSame(other));
    } else if (result.some(isSame)) {
      result = result.map((other) =>
        isObject(other) && isSame(other) ? applyStrategicMergePatch(other, item, schema) : other,
      );
    } else {
      result = [...result, withoutDirectives(item)];
    }
  }
  return result;
}

/**
 * Sorts the items that are in `order` by `order`, and inserts each other item before the items that it precedes in
 * `live`. See apimachinery's mergeSortedSlice.
 */
function ordered(list: Json[], order: Json[], live: Json[], key: string | undefined): Json[] {
  const identity = (item: Json): Json | undefined =>
    key === undefined ? item : isObject(item) ? item[key] : undefined;
  const rank = (items: Json[], item: Json) => items.findIndex((other) => equal(identity(other), identity(item)));
  const named = list.filter((item) => rank(order, item) >= 0).sort((a, b) => rank(order, a) - rank(order, b));
  const others = list.filter((item) => rank(order, item) < 0);
  const result: Json[] = [];
  for (const item of named) {
    const place = rank(live, item);
    for (
      let next = others[0];
      next !== undefined && place >= 0 && isBefore(rank(live, next), place);
      next = others[0]
    ) {
      result.push(next);
      others.shift();
    }
    result.push(item);
  }
  return [...result, ...others];
}

function isBefore(place: number, other: number): boolean {
  return place >= 0 && place < other;
}

function retained(target: JsonObject, patch: JsonObject): JsonObject {
  const keys = patch['$retainKeys'];
  if (keys === undefined) return { ...target };
  const isKept = (key: string) => Array.isArray(keys) && keys.includes(key);
  const hasOnlyKept = Object.entries(patch)
    .filter(([key, value]) => value !== null && !key.startsWith('$'))
    .every(([key]) => isKept(key));
  if (!Array.isArray(keys) || !hasOnlyKept) throw badRequest('invalid patch format of retainKeys');
  return Object.fromEntries(Object.entries(target).filter(([key]) => isKept(key)));
}

/** kube-apiserver reports these as internal errors, 500. */
function invalidPatch(message: string): StatusError {
  return new StatusError(500, '', message);
}

function withoutDirectives(value: JsonObject): JsonObject {
  const strip = (item: Json | undefined): Json | undefined => {
    if (Array.isArray(item)) return item.map((inner) => strip(inner) ?? null);
    if (!isObject(item)) return item;
    const kept = Object.entries(item).filter(([key, inner]) => !key.startsWith('$') && inner !== null);
    return Object.fromEntries(kept.map(([key, inner]) => [key, strip(inner)]));
  };
  return strip(value) as JsonObject; // strip returns an object for an object
}
