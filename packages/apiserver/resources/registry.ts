import { apiVersionOf, type Resource } from './resource.ts';

/** The served resources. CustomResourceDefinitions add and remove resources at run time. */
export class Registry {
  readonly #resources = new Map<string, Resource>();
  #version = 0;

  /** Incremented with each change, to invalidate caches. */
  get version(): number {
    return this.#version;
  }

  add(resource: Resource): void {
    this.#resources.set(keyOf(resource), resource);
    this.#version += 1;
  }

  remove(resource: Resource): void {
    if (this.#resources.delete(keyOf(resource))) this.#version += 1;
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#resources.get(keyOf({ group, version, plural }));
  }

  /** Finds a resource by the fields of an object reference. */
  findKind(apiVersion: string, kind: string): Resource | undefined {
    for (const resource of this.#resources.values()) {
      if (resource.kind === kind && apiVersionOf(resource) === apiVersion) return resource;
    }
    return undefined;
  }

  /** Any version of the resource of a collection. */
  ofCollection(collection: string): Resource | undefined {
    for (const resource of this.#resources.values()) if (resource.collection === collection) return resource;
    return undefined;
  }

  all(): Resource[] {
    return [...this.#resources.values()];
  }
}

function keyOf({ group, version, plural }: { group: string; version: string; plural: string }): string {
  return `${group}/${version}/${plural}`;
}
