import type { ServiceEvent } from '../context.ts';
import { dateTime, type JsonObject } from '../json.ts';
import { EVENT_SERVICE, link } from '../uris.ts';

/** An event in the form in which it is sent. */
export interface EventRecord {
  /** Increases, also across restarts of the process. */
  readonly id: number;
  readonly event: ServiceEvent;
  /** An element of `Events` of schema Event. */
  readonly properties: JsonObject;
}

/** @param at ms since 1970 */
export function eventRecord(id: number, at: number, event: ServiceEvent): EventRecord {
  const { messageId, message, messageArgs, severity, origin, eventType = 'Other' } = event;
  return {
    id,
    event,
    properties: {
      MemberId: '0',
      EventId: String(id),
      EventType: eventType,
      EventTimestamp: dateTime(at),
      Severity: severity,
      MessageSeverity: severity,
      Message: message,
      MessageId: messageId,
      MessageArgs: messageArgs,
      ...(origin === undefined ? {} : { OriginOfCondition: link(origin) }),
    },
  };
}

/** The message to a listener: schema Event with one event. */
export function eventMessage({ id, properties }: EventRecord, context: string): JsonObject {
  return {
    '@odata.type': '#Event.v1_13_0.Event',
    Id: String(id),
    Name: 'Event',
    Context: context,
    Events: [properties],
  };
}

/** Event filters of a listener; an empty list selects all. */
interface Wanted {
  readonly registryPrefixes: readonly string[];
  readonly resourceTypes: readonly string[];
  readonly messageIds: readonly string[];
  readonly eventTypes: readonly string[];
  /** Exclusions take precedence. */
  readonly excludedRegistryPrefixes: readonly string[];
  readonly excludedMessageIds: readonly string[];
}

/** @param resourceType returns the schema of the resource at a URI: `ComputerSystem`; undefined: not known */
export function isWanted(
  event: ServiceEvent,
  wanted: Wanted,
  resourceType: (uri: string) => string | undefined,
): boolean {
  const { registryPrefixes, resourceTypes, messageIds, eventTypes } = wanted;
  const prefix = event.messageId.split('.')[0] ?? '';
  const type = event.origin === undefined ? undefined : resourceType(event.origin);
  return (
    !wanted.excludedRegistryPrefixes.includes(prefix) &&
    !wanted.excludedMessageIds.some((id) => isSameMessage(id, event.messageId)) &&
    (registryPrefixes.length === 0 || registryPrefixes.includes(prefix)) &&
    (messageIds.length === 0 || messageIds.some((id) => isSameMessage(id, event.messageId))) &&
    (eventTypes.length === 0 || eventTypes.includes(event.eventType ?? 'Other')) &&
    (resourceTypes.length === 0 || (type !== undefined && resourceTypes.includes(type)))
  );
}

/** Subscriptions omit the version: `ResourceEvent.ResourceChanged`. */
function isSameMessage(wanted: string, sent: string): boolean {
  return wanted === sent || wanted === `${sent.split('.')[0] ?? ''}.${sent.split('.').at(-1) ?? ''}`;
}

/** Collections by the last segment of their URI, and the schema of their members. */
const MEMBERS: Readonly<Record<string, string>> = {
  Systems: 'ComputerSystem',
  Managers: 'Manager',
  Chassis: 'Chassis',
  VirtualMedia: 'VirtualMedia',
  Sessions: 'Session',
  Accounts: 'ManagerAccount',
  Subscriptions: 'EventDestination',
  Tasks: 'Task',
  Entries: 'LogEntry',
};

/** Schemas that a subscription can select. */
export const RESOURCE_TYPES: readonly string[] = Object.values(MEMBERS);

/** The schema of the resource at a URI, if it is one of {@link RESOURCE_TYPES}. */
export function resourceTypeOf(uri: string): string | undefined {
  return MEMBERS[uri.split('/').at(-2) ?? ''];
}

export const SUBSCRIPTIONS = `${EVENT_SERVICE}/Subscriptions`;
/** URI of the event stream (DSP0266 §13.5.2). */
export const STREAM = `${EVENT_SERVICE}/SSE`;

/** Deprecated event types, which older clients use. */
export const EVENT_TYPES = [
  'Alert',
  'ResourceAdded',
  'ResourceRemoved',
  'ResourceUpdated',
  'StatusChange',
  'Other',
] as const;
