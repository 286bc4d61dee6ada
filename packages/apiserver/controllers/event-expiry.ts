import type { Clock, Logger } from '@groundcrew/controller-runtime';
import { textOr } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Store } from '../store/index.ts';

const LIFETIME = 3600_000;
const INTERVAL = 60_000;

/** Forgets Events an hour after their last change, as kube-apiserver's `--event-ttl` has it. Returns what stops it. */
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
      logger.warn({ err: error }, 'Events could not be forgotten; trying again in a minute');
    }
    timer = clock.setTimeout(sweep, INTERVAL);
  };
  let timer = clock.setTimeout(sweep, INTERVAL);
  return () => {
    timer.cancel();
  };
}

/** The newest of its times: those of its own are what its reporter makes of them, those of its metadata the server's. */
function lastWrite(event: ApiObject): number {
  const { creationTimestamp, managedFields = [] } = event.metadata;
  const times = [creationTimestamp, ...managedFields.map(({ time }) => time), event['lastTimestamp']];
  return Math.max(...times.map((time) => Date.parse(textOr(time))).filter((time) => !Number.isNaN(time)));
}
