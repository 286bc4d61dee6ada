import { isObject, type Json } from '../json.ts';
import { propertyOf, type Schema } from '../schema/index.ts';

/** An item of a list whose items are told apart by their keys has none. */
export class KeylessItemError extends Error {
  override readonly name = 'KeylessItemError';
}

/** How server-side apply sees a value: as one leaf, or as fields, or as items that have names of their own. */
export type Structure = 'leaf' | 'map' | 'set' | 'list-map';

/**
 * By the schema: objects are merged field by field and lists replaced as a whole, unless `x-kubernetes-map-type` or
 * `x-kubernetes-list-type` says otherwise. Where nothing is known the value decides.
 */
export function structureOf(value: Json | undefined, schema: Schema | undefined): Structure {
  if (Array.isArray(value)) {
    switch (schema?.['x-kubernetes-list-type']) {
      case 'set':
        return 'set';
      case 'map':
        return 'list-map';
      default:
        return 'leaf';
    }
  }
  return isObject(value) && schema?.['x-kubernetes-map-type'] !== 'atomic' ? 'map' : 'leaf';
}

/** The children of a structured value, by path element, in order. Throws KeylessItemError. */
export function childrenOf(value: Json | undefined, schema: Schema | undefined, path: string): Map<string, Json> {
  const children = new Map<string, Json>();
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      children.set(itemElement(item, schema, `${path}: element ${index}`), item);
    });
  } else if (isObject(value)) {
    for (const [key, child] of Object.entries(value)) if (child !== undefined) children.set(`f:${key}`, child);
  }
  return children;
}

/** The schema of a child by its path element. */
export function childSchema(schema: Schema | undefined, element: string): Schema | undefined {
  return element.startsWith('f:') ? propertyOf(schema, element.slice(2)) : schema?.items;
}

/** Whether a path element names a field that the schema knows, as against a key of a free map or an item. */
export function isNamedField(schema: Schema | undefined, element: string): boolean {
  return element.startsWith('f:') && Object.hasOwn(schema?.properties ?? {}, element.slice(2));
}

function itemElement(item: Json, schema: Schema | undefined, where: string): string {
  if (schema?.['x-kubernetes-list-type'] === 'set') return `v:${JSON.stringify(item)}`;
  const names = schema?.['x-kubernetes-list-map-keys'] ?? [];
  const keys: Record<string, Json> = {};
  let given = false;
  for (const name of [...names].sort()) {
    const fallback = schema?.items?.properties?.[name]?.default;
    const value = isObject(item) && item[name] !== undefined ? item[name] : fallback === '' ? undefined : fallback;
    if (value === undefined) continue;
    keys[name] = value;
    given = true;
  }
  if (!given) {
    const list = JSON.stringify(names).replaceAll(',', ' ');
    throw new KeylessItemError(
      `${where}: associative list with keys has an element that omits all key fields ${list} (and doesn't have default values for any key fields)`,
    );
  }
  return `k:${JSON.stringify(keys)}`;
}
