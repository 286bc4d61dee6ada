import { beforeEach, describe, expect, it } from 'vitest';
import type { MachineEvent } from '../machine/index.ts';
import { logRoutes } from './log-service.ts';
import type { Resource, Route } from './resource.ts';
import { CALLER, checkAgainstSchema, FakeBmc, needsSchemas, payloadAt } from './testing/index.ts';

let bmc: FakeBmc;

beforeEach(() => {
  bmc = new FakeBmc();
});

const LOG = '/redfish/v1/Managers/1/LogServices/EventLog';
const { requester } = CALLER;
const WHO = 'admin from 192.0.2.1 by Redfish';

function find(routes: readonly Route[], path: string, parameters = {}): Resource | undefined {
  return routes.find((route) => route.path === path)?.find(parameters);
}

const EVENTS: readonly (readonly [MachineEvent, string])[] = [
  [{ kind: 'PowerState', state: 'On' }, 'The machine is powered on.'],
  [{ kind: 'PowerState', state: 'Off' }, 'The machine is powered off.'],
  [
    { kind: 'PowerAction', action: 'ForceOff', outcome: 'Accepted', requester },
    `The power action ForceOff was asked for by ${WHO}.`,
  ],
  [
    { kind: 'PowerAction', action: 'On', outcome: 'Unknown', requester },
    `Whether the power action On that ${WHO} asked for was done is not known.`,
  ],
  [
    { kind: 'PowerAction', action: 'On', outcome: 'Refused', requester },
    `The power action On that ${WHO} asked for was refused.`,
  ],
  [
    { kind: 'BootOverride', target: 'pxe once', outcome: 'Accepted', requester },
    `The boot override pxe once was set by ${WHO}.`,
  ],
  [
    { kind: 'BootOverride', target: 'pxe once', outcome: 'Refused', requester },
    `The boot override pxe once that ${WHO} asked for was refused.`,
  ],
  [
    { kind: 'BootOverride', target: undefined, outcome: 'Accepted', requester },
    `The boot override was cleared by ${WHO}.`,
  ],
  [
    { kind: 'BootOverride', target: undefined, outcome: 'Refused', requester },
    `The boot override could not be cleared as ${WHO} asked for.`,
  ],
  [{ kind: 'BootOverrideEnded', why: 'Booted' }, 'The machine booted, and the boot override is used up.'],
  [{ kind: 'BootOverrideEnded', why: 'Lapsed' }, 'The boot override lapsed without a boot.'],
  [{ kind: 'BootOverrideEnded', why: 'Dropped' }, 'The boot override was dropped as the machine was changed.'],
  [
    { kind: 'BootOrder', order: 'disk:root', outcome: 'Accepted', requester },
    `The boot order disk:root was set by ${WHO}.`,
  ],
  [
    { kind: 'BootOrder', order: undefined, outcome: 'Refused', requester },
    `The boot order of the machine's platform that ${WHO} asked for was refused.`,
  ],
  [{ kind: 'Media', change: 'Inserted', slot: 'Cd' }, 'An image was inserted into the drive Cd.'],
  [{ kind: 'Media', change: 'Ejected', slot: 'Cd' }, 'The drive Cd was emptied.'],
  [{ kind: 'Media', change: 'Inserted', slot: 'Cd', requester }, `An image was inserted into the drive Cd by ${WHO}.`],
  [{ kind: 'Media', change: 'Ejected', slot: 'Cd', requester }, `The drive Cd was emptied by ${WHO}.`],
  [
    { kind: 'LoginFailed', requester: { ...requester, user: '' }, why: 'UnknownUser' },
    'A login as nobody from 192.0.2.1 by Redfish failed: there is no such user.',
  ],
  [{ kind: 'Watchdog', action: 'Reset', use: 1 }, 'The watchdog timer expired; its action: Reset.'],
  [{ kind: 'AccountChanged', account: 'bob', requester }, `The account bob was changed by ${WHO}.`],
  [{ kind: 'Cleared', requester }, `The log was cleared by ${WHO}.`],
  [{ kind: 'Record', type: 2, body: '00ff', requester }, `A record of type 0x02 was written by ${WHO}: 00ff.`],
];

describe('a log entry', () => {
  it.each(EVENTS)('for %o is %s', async (event, sentence) => {
    bmc.machine.log.append(event);
    const entry = await payloadAt(logRoutes(bmc.context), `${LOG}/Entries/1`);

    expect(entry?.['Message']).toBe(sentence);
  });

  it.each(EVENTS)('of %o conforms to its schema', needsSchemas, async (event) => {
    bmc.machine.log.append(event);
    const entry = await payloadAt(logRoutes(bmc.context), `${LOG}/Entries/1`);

    expect(checkAgainstSchema(entry ?? {})).toEqual([]);
  });

  it('shows its time, its requester and its origin', async () => {
    bmc.machine.log.append({ kind: 'PowerAction', action: 'On', outcome: 'Accepted', requester });
    bmc.machine.log.append({ kind: 'AccountChanged', account: 'bob', requester });
    bmc.machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    const routes = logRoutes(bmc.context);

    expect(await payloadAt(routes, `${LOG}/Entries/1`)).toMatchObject({
      Id: '1',
      EntryType: 'Event',
      Created: '1970-01-01T00:00:00Z',
      Severity: 'OK',
      MessageId: 'Groundcrew.1.0.PowerActionAccepted',
      MessageArgs: ['On', WHO],
      OriginatorType: 'Client',
      Originator: '192.0.2.1',
      Username: 'admin',
      Links: { OriginOfCondition: { '@odata.id': '/redfish/v1/Systems/1' } },
    });
    expect(await payloadAt(routes, `${LOG}/Entries/2`)).toMatchObject({
      Links: { OriginOfCondition: { '@odata.id': '/redfish/v1/Managers/1' } },
    });
    expect(await payloadAt(routes, `${LOG}/Entries/3`)).toMatchObject({ OriginatorType: 'Internal' });
  });

  it('is removed by DELETE', async () => {
    bmc.machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });

    await find(logRoutes(bmc.context), `${LOG}/Entries/{entry}`, { entry: '1' })?.delete?.(CALLER);

    expect(bmc.machine.log.entries()).toEqual([]);
    expect(bmc.audited).toEqual(['entry 1 of the event log was removed']);
  });

  it('that was already removed is not reported again', async () => {
    bmc.machine.log.append({ kind: 'PowerState', state: 'On' });
    const entry = find(logRoutes(bmc.context), `${LOG}/Entries/{entry}`, { entry: '1' });
    bmc.machine.log.remove(1);

    await entry?.delete?.(CALLER);

    expect(bmc.audited).toEqual([]);
  });

  it.each(['0', '01', '1.0', 'x', ''])('is not found at %j', (entry) => {
    bmc.machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });

    expect(find(logRoutes(bmc.context), `${LOG}/Entries/{entry}`, { entry })).toBeUndefined();
  });
});

describe.each(['Systems', 'Managers', 'Chassis'])('the log of %s', (place) => {
  const services = `/redfish/v1/${place}/1/LogServices`;

  it('is the machine’s log', async () => {
    bmc.machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    const routes = logRoutes(bmc.context);

    expect(await payloadAt(routes, services)).toMatchObject({ Members: [{ '@odata.id': `${services}/EventLog` }] });
    expect(await payloadAt(routes, `${services}/EventLog`)).toMatchObject({
      MaxNumberOfRecords: 512,
      OverWritePolicy: 'WrapsWhenFull',
      DateTime: '2026-11-22T01:02:03Z',
      Overflow: false,
    });
    expect(await payloadAt(routes, `${services}/EventLog/Entries`)).toMatchObject({
      Members: [{ '@odata.id': `${services}/EventLog/Entries/1`, Id: '1', EntryType: 'Event' }],
      'Members@odata.count': 1,
    });
    expect(find(routes, `${services}/EventLog/Entries`)?.members?.()).toHaveLength(1);
  });

  it('is cleared by its action, which records the requester', async () => {
    bmc.machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    const service = find(logRoutes(bmc.context), `${services}/EventLog`);

    expect(await service?.actions?.[0]?.run({}, CALLER)).toBeUndefined();
    expect(bmc.machine.log.entries().map(({ event }) => event)).toEqual([{ kind: 'Cleared', requester }]);
    expect(bmc.audited).toEqual(['the event log was cleared']);
  });
});
