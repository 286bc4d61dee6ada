import type { Kind, KubeObject } from '@groundcrew/controller-runtime';
import type { ObjectWatch, ObjectWatches } from '../objects/named-watches.ts';
import type { FakeStore } from './fake-store.ts';

/** Watches of a {@link FakeStore} that hear of what has changed when the test says so. */
export class HandWatches implements ObjectWatches {
  readonly #store: FakeStore;
  readonly #watches: (() => void)[] = [];

  constructor(store: FakeStore) {
    this.#store = store;
  }

  watch<T extends KubeObject>(kind: Kind<T>, name: string, onChange: () => void): ObjectWatch<T> {
    const plural = kind.plural as 'configmaps' | 'secrets'; // others it does not hold
    let told: { object: T | undefined } | undefined;
    this.#watches.push(() => {
      told = { object: this.#store.find(plural, name) as unknown as T | undefined }; // as the kind says
      onChange();
    });
    return {
      get object() {
        return told?.object;
      },
      get hasSettled() {
        return told !== undefined;
      },
      isFresh: true,
      refresh: () => Promise.resolve(),
      stop: () => undefined,
    };
  }

  /** All watches hear of what is there now. */
  tell(): void {
    for (const hear of this.#watches) hear();
  }
}
