import type { Kind, KubeClient, KubeObject } from '@groundcrew/controller-runtime';

/** A finalizer of the manager on objects of one kind. */
export class Finalizer<T extends KubeObject> {
  readonly #kind: Kind<T>;
  readonly #name: string;

  constructor(kind: Kind<T>, name: string) {
    this.#kind = kind;
    this.#name = name;
  }

  isOn({ metadata }: T): boolean {
    return metadata.finalizers?.includes(this.#name) === true;
  }

  /**
   * Adds or removes it if the object has not changed, so that nothing that must be undone is overlooked.
   *
   * @throws ApiError 409 if the object has changed
   */
  async set(object: T, wanted: boolean, client: KubeClient): Promise<T> {
    const { namespace = '', name, uid, resourceVersion, finalizers = [] } = object.metadata;
    const others = finalizers.filter((finalizer) => finalizer !== this.#name);
    return await client.patch(this.#kind, { namespace, name }, 'merge', {
      metadata: { uid, resourceVersion, finalizers: wanted ? [...others, this.#name] : others },
    });
  }
}
