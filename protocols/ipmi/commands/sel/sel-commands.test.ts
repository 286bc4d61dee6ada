import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryEventLog, MemoryMachine } from '../../../testing/index.ts';
import { commandBench, type CommandBench } from '../../testing/run-command.ts';
import { addSelEntry, deleteSelEntry, getSelEntry } from './sel-entries.ts';
import { clearSel, reserveSel } from './clear-sel.ts';
import { RecordIds } from './record-id.ts';
import { getSelAllocationInfo, getSelInfo } from './sel-info.ts';
import { getSelTime, getSelTimeUtcOffset, setSelTime, setSelTimeUtcOffset } from './sel-time.ts';
import { platformEvent } from './platform-event.ts';

/** 2026-01-02T03:04:05Z, the bench's time. */
const NOW = 'a5 35 57 69';
const FIRST = '00 00 00 00 00 ff';
const LAST = '00 00 ff ff 00 ff';
const ADDED = '0000 e0 0102030405060708090a0b0c0d';

let bench: CommandBench;
let machine: MemoryMachine;

class TimedMachine extends MemoryMachine {
  override readonly log = new MemoryEventLog(() => bench.time, 4);
}

beforeEach(() => {
  machine = new TimedMachine({ state: 'On' });
  bench = commandBench({ machine, recordIds: new RecordIds(true) });
});

const requester = { protocol: 'IPMI', user: 'bob', address: '192.0.2.9' } as const;

describe('Get SEL Info', () => {
  it('reports an empty log', async () => {
    expect(await bench.answer(getSelInfo)).toBe('00 51 00 00 c0 00 ff ff ff ff ff ff ff ff 0b');
  });

  it('reports the number of records, free space and the last change', async () => {
    machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    machine.log.append({ kind: 'Cleared', requester });
    machine.log.remove(1);
    expect(await bench.answer(getSelInfo, '', bench.session(2))).toBe(`00 51 03 00 90 00 ${NOW} ${NOW} 0b`);
  });

  it('reports an overflow', async () => {
    for (let i = 0; i < 5; i += 1) machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    expect(await bench.answer(getSelInfo)).toBe(`00 51 04 00 00 00 ${NOW} ff ff ff ff 8b`);
  });
});

it('Get SEL Allocation Info counts entries in units of three records', async () => {
  machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
  expect(await bench.answer(getSelAllocationInfo)).toBe('00 04 00 30 00 03 00 03 00 01');
});

describe('an event log without OEM records', () => {
  it('has one record for each event, with the IDs 1, 2, 3', async () => {
    bench = commandBench({ machine });
    for (let i = 0; i < 2; i += 1) machine.log.append({ kind: 'Cleared', requester });
    expect(await bench.answer(getSelInfo)).toBe(`00 51 02 00 20 00 ${NOW} ff ff ff ff 0b`);
    expect(await bench.answer(getSelAllocationInfo)).toBe('00 04 00 10 00 02 00 02 00 01');
    const cleared = (id: string): string => `${id} 00 02 ${NOW} 20 00 04 10 ea 6f 02 ff ff`;
    expect(await bench.answer(getSelEntry, FIRST)).toBe(`00 02 00 ${cleared('01')}`);
    expect(await bench.answer(getSelEntry, LAST)).toBe(`00 ff ff ${cleared('02')}`);
    expect(await bench.answer(getSelEntry, '0000 0300 00 ff')).toBe('cb');
    expect(await bench.answer(addSelEntry, ADDED)).toBe('00 03 00');
  });
});

describe('Get SEL Entry', () => {
  it('answers 0xCB for an empty log', async () => {
    expect([await bench.answer(getSelEntry, FIRST), await bench.answer(getSelEntry, LAST)]).toEqual(['cb', 'cb']);
  });

  it('returns the first, the last and any record by ID, with the next ID', async () => {
    machine.log.append({ kind: 'PowerState', state: 'On' });
    machine.log.append({ kind: 'Cleared', requester });
    expect(await bench.answer(getSelEntry, FIRST)).toBe(`00 04 00 01 00 02 ${NOW} 20 00 04 22 e0 6f 00 ff ff`);
    const user = `05 00 c0 ${NOW} 00 00 00 62 6f 62 00 00 00`;
    expect(await bench.answer(getSelEntry, '0000 0500 00 ff')).toBe(`00 06 00 ${user}`);
    expect(await bench.answer(getSelEntry, LAST)).toBe(`00 ff ff 06 00 c1 ${NOW} 00 00 00 c0 00 02 09 04 00`);
    expect(await bench.answer(getSelEntry, '0000 0200 00 ff')).toBe('cb');
  });

  it('requires a valid reservation for a part', async () => {
    machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    expect(await bench.answer(getSelEntry, '0000 0100 00 08')).toBe('c5');
    expect(await bench.answer(reserveSel)).toBe('00 01 00');
    const parts = ['00 08', '08 08', '03 ff', '0f 01'];
    const answers = await Promise.all(parts.map(async (part) => await bench.answer(getSelEntry, `0100 0100 ${part}`)));
    const record = `01 00 02 ${NOW} 20 00 04 12 e5 ef 20 ff 01`;
    const bytes = record.split(' ');
    const part = (from: number, to: number): string => `00 ff ff ${bytes.slice(from, to).join(' ')}`;
    expect(answers).toEqual([part(0, 8), part(8, 16), part(3, 16), part(15, 16)]);
    expect(await bench.answer(getSelEntry, '0100 0100 10 01')).toBe('c9');
    expect(await bench.answer(getSelEntry, '0100 0100 08 09')).toBe('ca');
    expect(await bench.answer(reserveSel)).toBe('00 02 00');
    expect(await bench.answer(getSelEntry, '0100 0100 08 08')).toBe('c5');
  });
});

describe('Add SEL Entry', () => {
  it('sets the record ID, and stores the author and all bytes', async () => {
    machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    expect(await bench.answer(addSelEntry, ADDED)).toBe('00 04 00');
    expect(machine.log.entries()[1]?.event).toEqual({
      kind: 'Record',
      type: 0xe0,
      body: '0102030405060708090a0b0c0d',
      requester: { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' },
    });
    expect(await bench.answer(getSelEntry, LAST)).toBe('00 ff ff 04 00 e0 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d');
  });

  it.each(['00', '01', '03', 'bf'])('rejects the record type %s', async (type) => {
    expect(await bench.answer(addSelEntry, `0000 ${type} ${'00'.repeat(13)}`)).toBe('80');
    expect(machine.log.entries()).toEqual([]);
  });
});

describe('Platform Event', () => {
  it('is stored as an event of remote console software', async () => {
    expect(await bench.answer(platformEvent, '04 01 30 01 57 ff ff')).toBe('00');
    expect(await bench.answer(getSelEntry, LAST)).toBe(`00 ff ff 01 00 02 ${NOW} 81 10 04 01 30 01 57 ff ff`);
  });

  it('accepts missing data bytes', async () => {
    expect(await bench.answer(platformEvent, '04 01 30 01 57')).toBe('00');
    expect(await bench.answer(getSelEntry, LAST)).toBe(`00 ff ff 01 00 02 ${NOW} 81 10 04 01 30 01 57 ff ff`);
  });

  it('rejects an unknown format', async () => {
    expect(await bench.answer(platformEvent, '05 01 30 01 57 ff ff')).toBe('cc');
  });
});

describe('Delete SEL Entry', () => {
  it('deletes all records of an event, and more events with the same reservation', async () => {
    machine.log.append({ kind: 'Cleared', requester });
    machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    await bench.answer(reserveSel);
    expect(await bench.answer(deleteSelEntry, '0100 0200')).toBe('00 01 00');
    expect(machine.log.entries().map(({ id }) => id)).toEqual([2]);
    expect(await bench.answer(deleteSelEntry, '0100 0100')).toBe('cb');
    expect(await bench.answer(deleteSelEntry, '0100 0400')).toBe('00 04 00');
    expect(machine.log.entries()).toEqual([]);
  });

  it('works without a reservation, rejects an invalid one, and without one cancels the existing one', async () => {
    for (let i = 0; i < 3; i += 1) machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    expect(await bench.answer(deleteSelEntry, '0500 0100')).toBe('c5');
    await bench.answer(reserveSel);
    expect(await bench.answer(deleteSelEntry, '0000 0000')).toBe('00 01 00');
    expect(await bench.answer(deleteSelEntry, '0100 0400')).toBe('c5');
    expect(machine.log.entries()).toHaveLength(2);
  });
});

describe('Clear SEL', () => {
  const ERASE = '43 4c 52 aa';
  const STATUS = '43 4c 52 00';

  it('completes at once, and leaves an event with the requester', async () => {
    machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    await bench.answer(reserveSel);
    expect(await bench.answer(clearSel, `0100 ${ERASE}`)).toBe('00 01');
    expect(await bench.answer(clearSel, `0100 ${STATUS}`)).toBe('00 01');
    expect(machine.log.entries().map(({ event }) => event.kind)).toEqual(['Cleared']);
    expect(await bench.answer(clearSel, `0100 ${ERASE}`)).toBe('c5');
  });

  it.each(['43 4c 53 aa', '43 4c 52 01'])('rejects %s', async (order) => {
    await bench.answer(reserveSel);
    expect(await bench.answer(clearSel, `0100 ${order}`)).toBe('cc');
  });

  it('requires a reservation', async () => {
    machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    expect(await bench.answer(clearSel, `0000 ${ERASE}`)).toBe('c5');
    expect(machine.log.entries()).toHaveLength(1);
  });
});

describe('the clock of the event log', () => {
  it('is the BMC’s clock until a client sets it, and applies to all times', async () => {
    machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    expect(await bench.answer(getSelTime)).toBe(`00 ${NOW}`);
    expect(await bench.answer(setSelTime, 'a5 35 57 68')).toBe('00');
    expect(await bench.answer(getSelTime)).toBe('00 a5 35 57 68');
    bench.time += 10_000;
    expect(await bench.answer(getSelTime)).toBe('00 af 35 57 68');
    expect(await bench.answer(getSelEntry, LAST)).toMatch(/^00 ff ff 01 00 02 a5 35 57 68/);
    expect(bench.bmc.settings.current().sel).toEqual({ clockOffset: -(2 ** 24) });
  });

  it('is in UTC unless a client sets an offset', async () => {
    expect(await bench.answer(getSelTimeUtcOffset)).toBe('00 00 00');
    expect(await bench.answer(setSelTimeUtcOffset, 'c4 ff')).toBe('00');
    expect(await bench.answer(getSelTimeUtcOffset)).toBe('00 c4 ff');
    expect(await bench.answer(setSelTimeUtcOffset, 'ff 07')).toBe('00');
    expect(await bench.answer(getSelTimeUtcOffset)).toBe('00 ff 07');
    expect(await bench.answer(setSelTimeUtcOffset, 'a1 05')).toBe('c9');
  });
});
