import { collection } from '../collection.ts';
import type { RedfishContext } from '../context.ts';
import type { Route } from '../resource.ts';
import { secretRevisions } from '../secret-revision.ts';
import { EVENT_SERVICE } from '../uris.ts';
import { createSubscription } from './create-subscription.ts';
import { eventService } from './event-service.ts';
import type { Hub } from './hub.ts';
import { STREAM, SUBSCRIPTIONS } from './names.ts';
import { streamResource, Streams } from './stream.ts';
import { members, subscriptionOf } from './subscriptions.ts';

export { createEventHub, type Hub } from './hub.ts';

/** The event service. Listeners either receive events by a subscription or hold a stream open. */
export function eventRoutes(context: RedfishContext & { readonly events: Hub }): Route[] {
  const streams = new Streams(context);
  const service = eventService(context);
  const parts = { context, streams, revisionOf: secretRevisions(context.options.random) };
  const subscriptions = {
    ...collection('EventDestinationCollection', 'Event Subscriptions', () => members(parts)),
    create: createSubscription(context),
  };
  const stream = streamResource(streams);
  return [
    { path: EVENT_SERVICE, find: () => service },
    { path: SUBSCRIPTIONS, find: () => subscriptions },
    { path: `${SUBSCRIPTIONS}/{id}`, find: ({ id = '' }) => subscriptionOf(parts, id) },
    { path: STREAM, entity: 'EventService', find: () => stream },
  ];
}
