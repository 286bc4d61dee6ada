import { isObject, type Json, type JsonObject } from '../json.ts';
import { ListValue, MapValue, type CelValue } from '../schema/index.ts';

/** JSON as an expression sees it that knows no schema; parts are converted when they are asked for. */
export function jsonValue(value: Json | undefined): CelValue {
  // CEL tells int from double, JSON does not.
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return new JsonList(value);
  return isObject(value) ? new JsonMap(value) : (value ?? null);
}

class JsonList extends ListValue {
  readonly #items: readonly Json[];

  constructor(items: readonly Json[]) {
    super();
    this.#items = items;
  }

  get size(): number {
    return this.#items.length;
  }

  at(index: number): CelValue {
    return jsonValue(this.#items[index]);
  }
}

class JsonMap extends MapValue {
  readonly #object: JsonObject;

  constructor(object: JsonObject) {
    super();
    this.#object = object;
  }

  get size(): number {
    return this.keys().length;
  }

  find(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#object, key)) return undefined;
    const value = this.#object[key];
    return value === undefined ? undefined : jsonValue(value);
  }

  keys(): CelValue[] {
    return Object.keys(this.#object).filter((key) => this.#object[key] !== undefined);
  }
}
