import { dateTime } from '../date-time.ts';
import type { ServiceEvent } from '../context.ts';
import type { JsonObject } from '../json.ts';
import { link } from '../uris.ts';

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
