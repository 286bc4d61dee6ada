import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogEntry, MachineEvent, Requester } from '../../../machine/index.ts';
import { EVENT_SENSORS } from '../sensor/event-sensors.ts';
import { firstPlace, RecordIds } from './record-id.ts';
import { encodeRecord, type RecordContext } from './sel-record.ts';

const REQUESTER: Requester = { protocol: 'IPMI', user: 'administrator', address: '192.0.2.7' };
const AT = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const CONTEXT: RecordContext = { clockOffset: 0, sensors: [], manufacturerId: 0, ids: new RecordIds(true) };

function records(event: MachineEvent, context = CONTEXT, id = 1): string[] {
  const entry = { id, at: AT, event };
  return Array.from({ length: context.ids.partCountOf(entry) }, (_, part) =>
    encodeRecord(entry, part, context).toString('hex'),
  );
}

/** The part of a system event record that depends on the event: sensor type and number, event type, data. */
function told(event: MachineEvent): string {
  return records(event)[0]?.slice(20) ?? '';
}

describe('SEL records of an event', () => {
  it('contain the event, its requester and the source address', () => {
    const event: MachineEvent = { kind: 'PowerAction', action: 'On', outcome: 'Accepted', requester: REQUESTER };
    expect(records(event)).toEqual([
      '0100' + '02' + 'a5355769' + '2000' + '04' + '1de3' + '6f' + '00ffff',
      '0200' + 'c0' + 'a5355769' + '000000' + Buffer.from('admini').toString('hex'),
      '0300' + 'c1' + 'a5355769' + '000000' + 'c0000207' + '04' + '00',
    ]);
  });

  it('are a single record without a requester', () => {
    expect(records({ kind: 'PowerState', state: 'Off' })).toEqual(['010002a53557692000' + '0422e06f06ffff']);
  });

  it('contain the manufacturer ID in OEM records', () => {
    const event: MachineEvent = { kind: 'Cleared', requester: { ...REQUESTER, protocol: 'Redfish' } };
    const [, user, source] = records(event, { ...CONTEXT, manufacturerId: 0x01_2345 });
    expect([user?.slice(14, 20), source?.slice(14)]).toEqual(['452301', '452301' + 'c00002070401']);
  });

  it.each<[string, string]>([
    ['198.51.100.1', 'c63364010400'],
    ['::ffff:198.51.100.1', 'c63364010400'],
    ['::1', '000000010600'],
    ['2001:db8::', '000000000600'],
    ['fe80::1234:5678%eth0', '123456780600'],
    ['somewhere', '000000000000'],
  ])('encode the source %s', (address, bytes) => {
    const event: MachineEvent = { kind: 'AccountChanged', account: 'bob', requester: { ...REQUESTER, address } };
    expect(records(event)[2]?.slice(20)).toBe(bytes);
  });

  it("use the machine's own power sensor", () => {
    const reading = { kind: 'States', type: 0x22, possible: [0, 6], states: [0] } as const;
    const sensors = [{ number: 1, name: 'Power State', source: 'test', reading }];
    expect(records({ kind: 'PowerState', state: 'On' }, { ...CONTEXT, sensors })[0]?.slice(20)).toBe('22016f00ffff');
  });

  it.each<[MachineEvent, string]>([
    [{ kind: 'PowerState', state: 'On' }, '22e06f00ffff'],
    [{ kind: 'PowerAction', action: 'ForceOff', outcome: 'Accepted', requester: REQUESTER }, '09e16f00ffff'],
    [{ kind: 'PowerAction', action: 'PowerCycle', outcome: 'Accepted', requester: REQUESTER }, '09e16f01ffff'],
    [{ kind: 'PowerAction', action: 'GracefulShutdown', outcome: 'Accepted', requester: REQUESTER }, '14e26f00ffff'],
    [{ kind: 'PowerAction', action: 'ForceRestart', outcome: 'Accepted', requester: REQUESTER }, '1de36f01ffff'],
    [{ kind: 'PowerAction', action: 'GracefulRestart', outcome: 'Accepted', requester: REQUESTER }, '1de36fc70aff'],
    [{ kind: 'PowerAction', action: 'Pause', outcome: 'Accepted', requester: REQUESTER }, '22e06f01ffff'],
    [{ kind: 'PowerAction', action: 'Resume', outcome: 'Accepted', requester: REQUESTER }, '22e06f00ffff'],
    [{ kind: 'PowerAction', action: 'DiagnosticInterrupt', outcome: 'Accepted', requester: REQUESTER }, '13e46f00ffff'],
    [{ kind: 'PowerAction', action: 'On', outcome: 'Refused', requester: REQUESTER }, '09e16f05ffff'],
    [{ kind: 'BootOverride', target: 'pxe once', outcome: 'Accepted', requester: REQUESTER }, '12e56f00ffff'],
    [{ kind: 'BootOverride', target: undefined, outcome: 'Accepted', requester: REQUESTER }, '12e5ef20ff00'],
    [{ kind: 'BootOverride', target: 'pxe once', outcome: 'Refused', requester: REQUESTER }, '12e5ef20ff04'],
    [{ kind: 'BootOrder', order: 'disk:root', outcome: 'Accepted', requester: REQUESTER }, '12e56f00ffff'],
    [{ kind: 'BootOrder', order: undefined, outcome: 'Refused', requester: REQUESTER }, '12e5ef20ff04'],
    [{ kind: 'BootOverrideEnded', why: 'Booted' }, '12e5ef20ff01'],
    [{ kind: 'BootOverrideEnded', why: 'Lapsed' }, '12e5ef20ff02'],
    [{ kind: 'BootOverrideEnded', why: 'Dropped' }, '12e5ef20ff03'],
    [{ kind: 'Media', change: 'Inserted', slot: 'cd' }, '0de66f00ffff'],
    [{ kind: 'Media', change: 'Ejected', slot: 'cd' }, '0de6ef00ffff'],
    [{ kind: 'LoginFailed', requester: REQUESTER, why: 'UnknownUser' }, '06e76f25ff00'],
    [{ kind: 'LoginFailed', requester: REQUESTER, why: 'WrongPassword' }, '06e76f25ff01'],
    [{ kind: 'LoginFailed', requester: REQUESTER, why: 'Refused' }, '06e76f25ff02'],
    [{ kind: 'LoginFailed', requester: REQUESTER, why: 'LockedOut' }, '2aeb6ff30001'],
    [{ kind: 'Watchdog', action: 'None', use: 4 }, '23e86fc004ff'],
    [{ kind: 'Watchdog', action: 'Reset', use: 3 }, '23e86fc103ff'],
    [{ kind: 'Watchdog', action: 'PowerDown', use: 2 }, '23e86fc202ff'],
    [{ kind: 'Watchdog', action: 'PowerCycle', use: 1 }, '23e86fc301ff'],
    [{ kind: 'AccountChanged', account: 'bob', requester: REQUESTER }, '12e96f00ffff'],
    [{ kind: 'Cleared', requester: REQUESTER }, '10ea6f02ffff'],
  ])('encode %j', (event, bytes) => {
    expect(told(event)).toBe(bytes);
  });

  it('contain client-written data, with the time of the log if the type has one', () => {
    const body = '00112233445566778899aabbcc';
    const written = (type: number): MachineEvent => ({ kind: 'Record', type, body, requester: REQUESTER });
    expect(records(written(0xe0))).toEqual(['0100' + 'e0' + body]);
    expect(records(written(0x02))).toEqual(['0100' + '02' + 'a5355769' + body.slice(8)]);
  });

  it('use the clock set by a client', () => {
    const context = { ...CONTEXT, clockOffset: -3600 };
    expect(records({ kind: 'BootOverrideEnded', why: 'Booted' }, context)[0]?.slice(6, 14)).toBe('95275769');
    expect(
      records({ kind: 'BootOverrideEnded', why: 'Booted' }, { ...CONTEXT, clockOffset: 2 ** 33 })[0]?.slice(6, 14),
    ).toBe('feffffff');
  });
});

const requester = fc.record<Requester>({
  protocol: fc.constantFrom('IPMI', 'Redfish'),
  user: fc.string({ unit: 'binary', maxLength: 32 }),
  address: fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()),
});
const event = fc.oneof(
  fc.constantFrom<MachineEvent>({ kind: 'BootOverrideEnded', why: 'Booted' }, { kind: 'PowerState', state: 'On' }),
  requester.map((asker): MachineEvent => ({ kind: 'Cleared', requester: asker })),
  fc
    .tuple(fc.integer({ min: 0xc0, max: 0xff }), fc.uint8Array({ minLength: 13, maxLength: 13 }), requester)
    .map(([type, bytes, asker]): MachineEvent => ({
      kind: 'Record',
      type,
      body: Buffer.from(bytes).toString('hex'),
      requester: asker,
    })),
);
/** Entries of a ring buffer: IDs increase, with gaps after deletions. */
const log = fc
  .tuple(
    fc.integer({ min: 1, max: 200_000 }),
    fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), event), { maxLength: 40 }),
  )
  .map(([start, steps]) => {
    let id = start;
    return steps.map(([step, told]): LogEntry => {
      id += step;
      return { id, at: id * 1000, event: told };
    });
  });

describe.each([false, true])('SEL record IDs with OEM records: %s', (hasOemRecords) => {
  const ids = new RecordIds(hasOemRecords);
  const context = { ...CONTEXT, ids };

  it('visit each record once, from the first to the last', () => {
    fc.assert(
      fc.property(log, (entries) => {
        const visited: number[] = [];
        for (let place = firstPlace(entries); place !== undefined; place = ids.placeAfter(place, entries)) {
          const entry = entries[place.index];
          if (entry === undefined) throw new Error('no entry');
          const id = ids.idOf(entry, place.part);
          expect(ids.placeOf(id, entries)).toEqual(place);
          expect(encodeRecord(entry, place.part, context).readUInt16LE(0)).toBe(id);
          visited.push(id);
        }
        expect(new Set(visited).size).toBe(ids.countOf(entries));
        expect(visited).toHaveLength(ids.countOf(entries));
        expect(visited.every((id) => id >= 1 && id <= 0xfffe)).toBe(true);
        const last = ids.lastPlace(entries);
        expect(last === undefined ? undefined : ids.placeAfter(last, entries)).toBeUndefined();
      }),
    );
  });

  it('do not change when other entries are added or deleted', () => {
    fc.assert(
      fc.property(log, fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }), (entries, kept) => {
        const left = entries.filter((_, index) => kept[index] === true);
        for (const entry of left) {
          const place = ids.placeOf(ids.idOf(entry, 0), left);
          expect(place === undefined ? undefined : left[place.index]).toBe(entry);
        }
      }),
    );
  });

  it('do not exist for other numbers', () => {
    fc.assert(
      fc.property(log, fc.integer({ min: 1, max: 0xfffe }), (entries, id) => {
        const isThere = entries.some((entry) =>
          Array.from({ length: ids.partCountOf(entry) }, (_, part) => ids.idOf(entry, part)).includes(id),
        );
        expect(ids.placeOf(id, entries) !== undefined).toBe(isThere);
      }),
    );
  });
});

describe('event sensors', () => {
  it('have unique numbers and names', () => {
    const sensors = Object.values(EVENT_SENSORS);
    expect(new Set(sensors.map(({ number }) => number)).size).toBe(sensors.length);
    expect(new Set(sensors.map(({ name }) => name)).size).toBe(sensors.length);
    expect(sensors.every(({ number, name }) => number >= 0xe0 && number < 0xff && name.length <= 16)).toBe(true);
  });
});
