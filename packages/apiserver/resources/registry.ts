import { apiVersionOf, type Resource } from './resource.ts';

/** The resources that are served now; those of custom resource definitions come and go. */
export class Registry {
  readonly #resources = new Map<string, Resource>();
  #version = 0;

  /** Grows with each change, for what is derived from the whole. */
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

  /** By the names that object references hold. */
  findKind(apiVersion: string, kind: string): Resource | undefined {
    for (const resource of this.#resources.values()) {
      if (resource.kind === kind && apiVersionOf(resource) === apiVersion) return resource;
    }
    return undefined;
  }

  /** One resource of a collection, no matter which version. */
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
