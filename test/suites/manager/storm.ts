import type { Kind, KubeClient, KubeObject, ObjectRef } from '@groundcrew/controller-runtime';

export interface Storm {
  /** Resolves when it has blown itself out. */
  readonly over: Promise<void>;
  /** Ends it before that. */
  end(): Promise<void>;
}

/**
 * Changes an object again and again, so that whoever writes what they have read of it meets conflicts.
 *
 * @param gusts how many times; who is quicker than all others may leave them no turn until then
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
