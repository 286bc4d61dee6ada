import type { LogEntry } from '../machine/index.ts';
import { collection, type Action, type Resource, type Route } from './resource.ts';
import { dateTime, type JsonObject } from './json.ts';
import { CHASSIS, link, MANAGER, SYSTEM } from './uris.ts';
import type { RedfishContext } from './context.ts';
import { describeEvent, LOG_MESSAGE_PREFIX, LOG_MESSAGES } from './log-messages.ts';
import type { RedfishOptions } from './options.ts';

/** The machine's single event log, shown under System, Manager and Chassis, because clients differ in where they look. */
export function logRoutes(context: RedfishContext): Route[] {
  return [SYSTEM, MANAGER, CHASSIS].flatMap((owner) => logServiceRoutes(context, owner));
}

/** @param owner URI of the resource that has the log */
function logServiceRoutes(context: RedfishContext, owner: string): Route[] {
  const { options } = context;
  const { log } = options.machine;
  const services = `${owner}/LogServices`;
  const service = `${services}/EventLog`;
  const entries = `${service}/Entries`;
  const find = (): Resource => logService(context, entries);
  const serviceCollection = collection('LogServiceCollection', 'Log Services', () => [
    { uri: service, resource: find() },
  ]);
  return [
    { path: services, find: () => serviceCollection },
    { path: service, find },
    { path: entries, find: () => entryCollection(options, entries) },
    {
      path: `${entries}/{entry}`,
      find: ({ entry: id }) => {
        const entry = log.entries().find((candidate) => String(candidate.id) === id);
        return entry === undefined ? undefined : logEntry(options, entry);
      },
    },
  ];
}

/** The schema requires expanded members (OData.AutoExpand). */
function entryCollection(options: RedfishOptions, uri: string): Resource {
  const { log } = options.machine;
  const uriOf = ({ id }: LogEntry): string => `${uri}/${id}`;
  return {
    type: 'LogEntryCollection.LogEntryCollection',
    read: () => ({
      Name: 'Event Log Entries',
      Members: log.entries().map((entry) => ({
        '@odata.id': uriOf(entry),
        '@odata.type': `#${LOG_ENTRY_TYPE}`,
        ...logEntryProperties(entry),
      })),
    }),
    members: () => log.entries().map((entry) => ({ uri: uriOf(entry), resource: logEntry(options, entry) })),
  };
}

function logService({ options }: RedfishContext, entries: string): Resource {
  const { log } = options.machine;
  return {
    type: 'LogService.v1_9_0.LogService',
    isVolatile: true,
    read: () => ({
      Id: 'EventLog',
      Name: 'Event Log',
      Description: 'Events of the machine and requests of clients. IPMI shows the same log as the SEL.',
      ServiceEnabled: true,
      Status: { State: 'Enabled', Health: 'OK' },
      LogEntryType: 'Event',
      LogPurposes: ['Operations', 'Security'],
      MaxNumberOfRecords: log.capacity,
      OverWritePolicy: 'WrapsWhenFull',
      Overflow: log.hasOverflowed,
      Persistency: true,
      DateTime: dateTime(options.time()),
      DateTimeLocalOffset: '+00:00',
      Entries: link(entries),
    }),
    actions: [clearLog(options)],
  };
}

function clearLog({ machine: { log }, observer }: RedfishOptions): Action {
  return {
    name: 'LogService.ClearLog',
    rules: { kind: 'object', properties: {} },
    run: (_parameters, { requester }) => {
      log.clear(requester);
      observer.audited(requester, 'the event log was cleared');
      return undefined;
    },
  };
}

const LOG_ENTRY_TYPE = 'LogEntry.v1_21_0.LogEntry';

/** A log entry. Its deletion is not recorded in the log but reported as an Event. */
function logEntry({ machine: { log }, observer }: RedfishOptions, entry: LogEntry): Resource {
  return {
    type: LOG_ENTRY_TYPE,
    read: () => logEntryProperties(entry),
    delete: ({ requester }) => {
      if (log.remove(entry.id)) observer.audited(requester, `entry ${entry.id} of the event log was removed`);
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
