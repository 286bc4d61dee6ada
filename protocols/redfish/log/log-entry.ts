import type { LogEntry } from '../../machine/index.ts';
import { dateTime } from '../date-time.ts';
import type { JsonObject } from '../json.ts';
import type { RedfishOptions } from '../options.ts';
import type { Resource } from '../resource.ts';
import { link } from '../uris.ts';
import { describeEvent } from './describe-event.ts';
import { LOG_MESSAGE_PREFIX, LOG_MESSAGES } from './log-messages.ts';

export const LOG_ENTRY_TYPE = 'LogEntry.v1_21_0.LogEntry';

/** A log entry. Its deletion is not recorded in the log but reported as an Event. */
export function logEntry({ machine: { log }, observer }: RedfishOptions, entry: LogEntry): Resource {
  return {
    type: LOG_ENTRY_TYPE,
    read: () => logEntryProperties(entry),
    // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
    delete: async ({ requester }) => {
      if (log.remove(entry.id)) observer.audited(requester, `the line ${entry.id} of the event log was removed`);
    },
  };
}

/** @returns properties of a LogEntry; events use the same `Message…` and `Links` */
export function logEntryProperties({ id, at, event }: LogEntry) {
  const { message, args, origin } = describeEvent(event);
  const { severity, text } = LOG_MESSAGES[message];
  const requester = 'requester' in event ? event.requester : undefined;
  return {
    Id: String(id),
    Name: `Log Entry ${id}`,
    EntryType: 'Event',
    Created: dateTime(at),
    Severity: severity,
    Message: text.replace(/%(\d)/g, (_match, place: string) => args[Number(place) - 1] ?? ''),
    MessageId: `${LOG_MESSAGE_PREFIX}.${message}`,
    MessageArgs: args,
    ...(requester === undefined
      ? { OriginatorType: 'Internal' }
      : {
          OriginatorType: 'Client',
          Originator: requester.address,
          ...(requester.user !== '' && { Username: requester.user }),
        }),
    Links: { OriginOfCondition: link(origin) },
  } satisfies JsonObject;
}
