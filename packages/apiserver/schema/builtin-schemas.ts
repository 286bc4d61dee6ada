import type { Schema } from './schema.ts';

/**
 * Schemas of the built-in kinds, by OpenAPI name (`io.k8s.api.core.v1.Pod`), from `builtin-schemas.json`, which
 * `generate.ts` takes from a kube-apiserver.
 */
export class BuiltinSchemas {
  /** As the API server publishes them, with `$ref`s. */
  readonly published: Readonly<Record<string, Schema>>;
  readonly #linked: Record<string, Schema>;

  private constructor(published: Record<string, Schema>) {
    this.published = published;
    this.#linked = structuredClone(published);
    for (const schema of Object.values(this.#linked)) this.#link(schema);
  }

  static async load(): Promise<BuiltinSchemas> {
    const module = await import('./builtin-schemas.json', { with: { type: 'json' } });
    // The file holds OpenAPI schemas and nothing else: its generator writes it.
    return new BuiltinSchemas(module.default as unknown as Record<string, Schema>);
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
