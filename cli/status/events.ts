import type { Event } from '@groundcrew/controller-runtime';
import type { Inputs } from './inputs.ts';
import { once } from './once.ts';
import type { EventStatus } from './overview.ts';
import { inOrder } from './overview-order.ts';

const MOST = 200;

/** The newest Events about objects of Groundcrew, the newest first. */
export function evaluateEvents({ events }: Inputs): EventStatus[] {
  return newestOf(events);
}

const newestOf = once((events: readonly Event[]) => inOrder('events', events.map(rowOf)).slice(0, MOST));

/** When an Event happened last, RFC 3339. */
export function timeOf({ lastTimestamp, eventTime, metadata, series }: Event): string {
  return series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '';
}

function rowOf(event: Event): EventStatus {
  const { metadata, involvedObject, type = 'Normal', reason = '', message = '', count, series } = event;
  return {
    id: `${metadata.namespace ?? ''}/${metadata.name}`,
    time: timeOf(event),
    kind: involvedObject.kind ?? '-',
    namespace: involvedObject.namespace ?? metadata.namespace ?? '',
    name: involvedObject.name ?? '-',
    ...{ type, reason, message },
    count: series?.count ?? count ?? 1,
  };
}
