import { GoTypes, type GoTypesFile } from './go-types/go-types.ts';
import type { Schema } from './schema.ts';

/**
 * Schemas of the built-in kinds, by OpenAPI name (`io.k8s.api.core.v1.Pod`), from `builtin-schemas.json`, which
 * `generate.ts` takes from a kube-apiserver, with the Go types behind them.
 */
export class BuiltinSchemas {
  /** As the API server publishes them, with `$ref`s. */
  readonly published: Readonly<Record<string, Schema>>;
  readonly #linked: Record<string, Schema>;

  private constructor(published: Record<string, Schema>, types: GoTypes) {
    this.published = published;
    this.#linked = structuredClone(published);
    for (const [name, schema] of Object.entries(this.#linked)) {
      this.#link(schema);
      addTypes(schema, name, types);
    }
  }

  static async load(): Promise<BuiltinSchemas> {
    const module = await import('./builtin-schemas.json', { with: { type: 'json' } });
    const { default: types } = await import('./go-types/go-types.json', { with: { type: 'json' } });
    // The files hold OpenAPI schemas and Go types and nothing else: their generators write them.
    return new BuiltinSchemas(
      module.default as unknown as Record<string, Schema>,
      new GoTypes(types as unknown as GoTypesFile),
    );
  }

  /** The schema with references resolved; it may contain itself. Throws where the name is unknown. */
  get(name: string): Schema {
    const schema = this.#linked[name];
    if (schema === undefined) throw new Error(`builtin-schemas.json has no ${name}: run generate.ts`);
    return schema;
  }

  /** Replaces references below `schema` by what they name; objects are shared, so recursion ends in a cycle. */
  #link(schema: Schema): void {
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      if (schema.properties !== undefined) schema.properties[key] = this.#resolved(property);
    }
    if (schema.items !== undefined) schema.items = this.#resolved(schema.items);
    if (typeof schema.additionalProperties === 'object') {
      schema.additionalProperties = this.#resolved(schema.additionalProperties);
    }
  }

  #resolved(schema: Schema): Schema {
    const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
    if (reference === undefined) {
      this.#link(schema);
      return schema;
    }
    const target = this.get(reference.slice('#/components/schemas/'.length));
    // What stands beside the reference (default, description, list keys) belongs to this use of it.
    const { allOf: _wrapper, $ref: _reference, ...own } = schema;
    return { ...target, ...own };
  }
}

/** Adds their types to the properties, and puts these in the order in which Go writes them. */
function addTypes({ properties }: Schema, name: string, types: GoTypes): void {
  if (properties === undefined) return;
  const before = { ...properties };
  for (const key of Object.keys(before)) Reflect.deleteProperty(properties, key);
  for (const [key, go] of Object.entries(types.fields(name))) {
    const property = before[key];
    if (property !== undefined) properties[key] = { ...property, go };
  }
}
