import type { Clock } from '../../../kube/index.ts';
import type { Store } from '../store/index.ts';

const LIFETIME = 3600_000;
const INTERVAL = 60_000;

/** Forgets Events an hour after their last change, as kube-apiserver's `--event-ttl` has it. Returns what stops it. */
export function expireEvents(store: Store, clock: Clock): () => void {
  const sweep = (): void => {
    const limit = clock.now() - LIFETIME;
    for (const { object } of [...store.collection('/events').values()]) {
      const last = object['lastTimestamp'] ?? object['eventTime'] ?? object.metadata.creationTimestamp;
      if (typeof last === 'string' && Date.parse(last) < limit) store.remove('/events', object);
    }
    timer = clock.setTimeout(sweep, INTERVAL);
  };
  let timer = clock.setTimeout(sweep, INTERVAL);
  return () => {
    timer.cancel();
  };
}
