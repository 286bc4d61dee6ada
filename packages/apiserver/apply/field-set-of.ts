import { isObject, type Json } from '../json.ts';
import type { Schema } from '../schema/index.ts';
import { FieldSet } from './field-set.ts';
import { childrenOf, childSchema, isNamedField, structureOf } from './structure.ts';

/** The fields that an applied object names. Throws KeylessItemError. */
export function fieldSetOf(value: Json | undefined, schema: Schema | undefined, path = ''): FieldSet {
  if (structureOf(value, schema) === 'leaf') return new FieldSet(true, new Map());
  const children = new Map<string, FieldSet>();
  for (const [element, [child = null, ...others]] of childrenOf(value, schema, path)) {
    if (others.length > 0) {
      children.set(element, new FieldSet(true, new Map()));
      continue;
    }
    const inner = childSchema(schema, element);
    const set = fieldSetOf(child, inner, `${path}.${element.slice(2)}`);
    const owned =
      set.self ||
      !isNamedField(schema, element) ||
      child === null ||
      (isObject(child) && Object.keys(child).length === 0);
    const node = new FieldSet(owned, set.children);
    if (!node.isEmpty) children.set(element, node);
  }
  return new FieldSet(false, children);
}
