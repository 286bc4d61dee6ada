import type { Kind, KubeClient, KubeObject, ObjectRef } from '../../../src/kube/index.ts';

const MOST = 1000;

/** Changes an object again and again, so that whoever writes what they have read of it meets conflicts. */
export function startStorm(client: KubeClient, kind: Kind<KubeObject>, ref: ObjectRef): { end(): Promise<void> } {
  const stop = new AbortController();
  const blowing = (async () => {
    for (let gust = 0; !stop.signal.aborted && gust < MOST; gust += 1)
      await client.patch(kind, ref, 'merge', { metadata: { annotations: { gust: String(gust) } } });
  })();
  return {
    end: async () => {
      stop.abort();
      await blowing;
    },
  };
}
