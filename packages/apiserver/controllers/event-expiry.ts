import type { Clock, Logger } from '@groundcrew/controller-runtime';
import { textOr } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Store } from '../store/index.ts';

const LIFETIME = 3600_000;
const INTERVAL = 60_000;

/**
 * Deletes Events an hour after their last write, like kube-apiserver with the default `--event-ttl`.
 *
 * @returns a function that stops it
 */
export function expireEvents(store: Store, clock: Clock, logger: Logger): () => void {
  const expire = (): void => {
    const limit = clock.now() - LIFETIME;
    for (const { object } of [...store.collection('/events').values()]) {
      if (lastWrite(object) < limit) store.remove('/events', object);
    }
  };
  const sweep = (): void => {
    try {
      expire();
    } catch (error) {
      logger.warn({ err: error }, 'cannot delete expired Events; retrying in a minute');
    }
    timer = clock.setTimeout(sweep, INTERVAL);
  };
  let timer = clock.setTimeout(sweep, INTERVAL);
  return () => {
    timer.cancel();
  };
}

/** The newest time of an Event. Clients can set `lastTimestamp` to any time, so that it alone is not sufficient. */
function lastWrite(event: ApiObject): number {
  const { creationTimestamp, managedFields = [] } = event.metadata;
  const times = [creationTimestamp, ...managedFields.map(({ time }) => time), event['lastTimestamp']];
  return Math.max(...times.map((time) => Date.parse(textOr(time))).filter((time) => !Number.isNaN(time)));
}
