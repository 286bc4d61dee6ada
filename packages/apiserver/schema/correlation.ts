import { equal, isObject, type Json } from '../json.ts';
import { propertyOf, type Schema } from './schema.ts';

/**
 * A value and its previous value, for ratcheting: errors of unchanged values are dropped. Fields are correlated by name,
 * items of map lists by their keys; items of other lists are not correlated.
 */
export class Correlation {
  readonly value: Json;
  readonly previous: Json;
  readonly #schema: Schema;
  #isEqual: boolean | undefined;

  constructor(value: Json, previous: Json, schema: Schema) {
    this.value = value;
    this.previous = previous;
    this.#schema = schema;
  }

  get isUnchanged(): boolean {
    return (this.#isEqual ??= this.#compare());
  }

  key(name: string): Correlation | undefined {
    if (!isObject(this.value) || !isObject(this.previous)) return undefined;
    const [value, previous] = [this.value[name], this.previous[name]];
    const schema = propertyOf(this.#schema, name);
    if (value === undefined || previous === undefined || schema === undefined) return undefined;
    return new Correlation(value, previous, schema);
  }

  index(index: number): Correlation | undefined {
    const { items } = this.#schema;
    if (!Array.isArray(this.value) || !Array.isArray(this.previous) || items === undefined) return undefined;
    const value = this.value[index];
    if (value === undefined) return undefined;
    const previous = correspondingItem(value, this.previous, this.#schema);
    return previous === undefined ? undefined : new Correlation(value, previous, items);
  }

  /** Map lists are compared by their keys, in any order. Objects with unknown fields always differ. */
  #compare(): boolean {
    const { value, previous } = this;
    if (Array.isArray(value) && Array.isArray(previous)) {
      if (this.#schema['x-kubernetes-list-type'] !== 'map') return equal(value, previous);
      return value.length === previous.length && value.every((_, index) => this.index(index)?.isUnchanged === true);
    }
    if (isObject(value) && isObject(previous)) {
      const keys = Object.keys(value);
      return keys.length === Object.keys(previous).length && keys.every((name) => this.key(name)?.isUnchanged === true);
    }
    return equal(value, previous);
  }
}

/** The item of the previous list with the same keys as `item`; undefined unless the list type is map. */
export function correspondingItem(item: Json, previous: Json | undefined, schema: Schema): Json | undefined {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] !== 'map' || keys === undefined || !Array.isArray(previous) || !isObject(item))
    return undefined;
  if (!keys.every((key) => isScalar(item[key]))) return undefined;
  return previous.find((other) => isObject(other) && keys.every((key) => other[key] === item[key]));
}

function isScalar(value: Json | undefined): boolean {
  return value !== undefined && value !== null && typeof value !== 'object';
}
