import type { Kind, KubeClient, KubeObject, ObjectRef } from '@groundcrew/controller-runtime';

export interface Storm {
  /** Resolves when all changes are made. */
  readonly over: Promise<void>;
  /** Stops it early. */
  end(): Promise<void>;
}

/**
 * Changes an object repeatedly, so that other writers get conflicts.
 *
 * @param gusts number of changes; fast changes may block all other writers until the end
 */
export function startStorm(client: KubeClient, kind: Kind<KubeObject>, ref: ObjectRef, gusts = 1000): Storm {
  const stop = new AbortController();
  const over = (async () => {
    for (let gust = 0; !stop.signal.aborted && gust < gusts; gust += 1)
      await client.patch(kind, ref, 'merge', { metadata: { annotations: { gust: String(gust) } } });
  })();
  return {
    over,
    end: async () => {
      stop.abort();
      await over;
    },
  };
}
