import type { LogEntry } from '../../machine/index.ts';
import { collection } from '../collection.ts';
import type { RedfishContext } from '../context.ts';
import { dateTime } from '../date-time.ts';
import type { RedfishOptions } from '../options.ts';
import type { Action, Resource, Route } from '../resource.ts';
import { link } from '../uris.ts';
import { LOG_ENTRY_TYPE, logEntry, logEntryProperties } from './log-entry.ts';

/** @param owner URI of the resource that has the log */
export function logServiceRoutes(context: RedfishContext, owner: string): Route[] {
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
      Description: 'What happened to the machine, and who asked for what; the log that IPMI shows as SEL.',
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
    // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
    run: async (_parameters, { requester }) => {
      log.clear(requester);
      observer.audited(requester, 'the event log was cleared');
      return undefined;
    },
  };
}
