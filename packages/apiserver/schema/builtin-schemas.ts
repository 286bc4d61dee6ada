import type { Schema } from './schema.ts';

/**
 * The schemas of the built-in kinds, by OpenAPI name (`io.k8s.api.core.v1.Pod`). `generate.ts` reads them from a
 * kube-apiserver and writes `builtin-schemas.json`.
 */
export class BuiltinSchemas {
  /** The schemas as published by kube-apiserver, with `$ref`s. */
  readonly published: Readonly<Record<string, Schema>>;
  readonly #linked: Record<string, Schema>;

  private constructor(published: Record<string, Schema>) {
    this.published = published;
    this.#linked = structuredClone(published);
    for (const schema of Object.values(this.#linked)) this.#link(schema);
  }

  static async load(): Promise<BuiltinSchemas> {
    const module = await import('./builtin-schemas.json', { with: { type: 'json' } });
    // The cast is safe: generate.ts writes only OpenAPI schemas.
    return new BuiltinSchemas(module.default as unknown as Record<string, Schema>);
  }

  /** A schema with resolved references; it can contain itself. Throws if the name is unknown. */
  get(name: string): Schema {
    const schema = this.#linked[name];
    if (schema === undefined) throw new Error(`builtin-schemas.json has no ${name}: run generate.ts`);
    return schema;
  }

  /** Resolves the references below `schema`, in place. Recursive types become cyclic objects. */
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
    // Keywords beside the reference (default, description, list keys) override those of the target.
    const { allOf: _wrapper, $ref: _reference, ...own } = schema;
    return { ...target, ...own };
  }
}
