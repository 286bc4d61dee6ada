import { type Caller, type Resource, type Route, collection } from '../resource.ts';
import { dateTime, type JsonObject } from '../json.ts';
import { EVENT_SERVICE } from '../uris.ts';
import type { RedfishContext } from '../context.ts';
import { base } from '../messages.ts';
import type { StoredSubscription } from '../state.ts';
import { CHANGEABLE, changesIn, createSubscription, TEXT } from './create-subscription.ts';
import type { DeliveryProblem } from './deliveries.ts';
import { STREAM, SUBSCRIPTIONS } from './event-record.ts';
import { eventService } from './event-service.ts';
import type { Hub } from './hub.ts';
import { isOwnerOf } from './kept-subscriptions.ts';
import { streamResource, type Streams } from './stream.ts';

/** The event service. Listeners either receive events by a subscription or hold a stream open. */
export function eventRoutes(parts: EventParts): Route[] {
  const { context, streams } = parts;
  const service = eventService(context);
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

export interface EventParts {
  readonly context: RedfishContext & { readonly events: Hub };
  readonly streams: Streams;
  readonly revisionOf: (secret: string) => string;
}

/** The stored subscriptions, and one for each open stream. */
function members(parts: EventParts): { uri: string; resource: Resource }[] {
  const { context, streams } = parts;
  const stored = context.events.subscriptions.list().map(({ id }) => id);
  return [...stored, ...streams.ids()].flatMap((id) => {
    const resource = subscriptionOf(parts, id);
    return resource === undefined ? [] : [{ uri: `${SUBSCRIPTIONS}/${id}`, resource }];
  });
}

function subscriptionOf(parts: EventParts, id: string): Resource | undefined {
  return parts.streams.resourceOf(id) ?? storedResource(parts, id);
}

function storedResource({ context, revisionOf }: EventParts, id: string): Resource | undefined {
  const { state, observer } = context.options;
  const stored = context.events.subscriptions.find(id);
  if (stored === undefined) return undefined;
  const edit = (change: Partial<StoredSubscription>): Promise<void> =>
    state.change(({ subscriptions = [] }) => ({
      subscriptions: subscriptions.map((one) => (one.id === id ? { ...one, ...change } : one)),
    }));
  return {
    type: 'EventDestination.v1_16_0.EventDestination',
    // Headers are not shown, but a change of them changes the ETag.
    revision: revisionOf(JSON.stringify(stored.httpHeaders)),
    read: () => describeSubscription(stored, context.events.problemOf(id)),
    patch: {
      rules: { kind: 'object', properties: CHANGEABLE },
      apply: async (changes, { requester }) => {
        await edit(changesIn(changes));
        observer.audited(requester, `changed ${Object.keys(changes).join(', ')} of the event subscription ${id}`);
        return undefined;
      },
    },
    isOwn: ({ account }: Caller) => isOwnerOf(stored, account),
    delete: async ({ requester }) => {
      await state.change(({ subscriptions = [] }) => ({
        subscriptions: subscriptions.filter((one) => one.id !== id),
      }));
      observer.audited(requester, `ended the event subscription ${id}`);
    },
    actions: [
      {
        name: 'EventDestination.ResumeSubscription',
        rules: { kind: 'object', properties: { DeliverBufferedEventDuration: { ...TEXT, isNullable: true } } },
        run: async (_parameters, { requester }) => {
          await edit({ isSuspended: false });
          context.events.resume(id);
          observer.audited(requester, `resumed the event subscription ${id}`);
          return undefined;
        },
      },
    ],
  };
}

/** Properties of an EventDestination. */
function describeSubscription(subscription: StoredSubscription, problem: DeliveryProblem | undefined): JsonObject {
  const { id, destination, context, retryPolicy, isSuspended, verifiesCertificate } = subscription;
  const { registryPrefixes, resourceTypes, messageIds, eventTypes } = subscription;
  const { excludedRegistryPrefixes, excludedMessageIds } = subscription;
  return {
    Id: id,
    Name: `Event Subscription ${id}`,
    Destination: destination,
    Context: context,
    Protocol: 'Redfish',
    SubscriptionType: 'RedfishEvent',
    EventFormatType: 'Event',
    RegistryPrefixes: registryPrefixes,
    ResourceTypes: resourceTypes,
    MessageIds: messageIds,
    ExcludeRegistryPrefixes: excludedRegistryPrefixes,
    ExcludeMessageIds: excludedMessageIds,
    ...(eventTypes.length === 0 ? {} : { EventTypes: eventTypes }),
    // Headers may carry secrets; the schema requires an empty array in responses.
    HttpHeaders: [],
    DeliveryRetryPolicy: retryPolicy,
    VerifyCertificate: verifiesCertificate,
    IncludeOriginOfCondition: false,
    SubordinateResources: false,
    Status: {
      State: isSuspended ? 'Disabled' : 'Enabled',
      Health: isSuspended || problem !== undefined ? 'Warning' : 'OK',
      ...(problem === undefined ? {} : { Conditions: [condition(destination, problem)] }),
    },
  };
}

/** A Condition of schema Resource. */
function condition(destination: string, { why, since }: DeliveryProblem): JsonObject {
  const { MessageId, Message, MessageArgs } = base('CouldNotEstablishConnection', [destination]);
  return { MessageId, Message, MessageArgs, Severity: 'Warning', Resolution: `${why}.`, Timestamp: dateTime(since) };
}
