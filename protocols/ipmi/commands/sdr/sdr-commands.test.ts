import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { uint32 } from '../../message/integers.ts';
import { commandBench, type CommandBench } from '../../testing/run-command.ts';
import { someSensors } from '../../testing/some-sensors.ts';
import { addSdr, clearSdrRepository } from './change-sdr.ts';
import {
  getSdr,
  getSdrRepositoryAllocationInfo,
  getSdrRepositoryInfo,
  getSdrRepositoryTime,
  reserveSdrRepository,
  setSdrRepositoryTime,
} from './sdr-commands.ts';
import { repositoryStamp, sdrRecords } from './sdr-repository.ts';
import { getSelTime } from '../sel/sel-time.ts';

let bench: CommandBench;

beforeEach(() => {
  bench = commandBench();
  bench.bmc.machine.readings = someSensors();
});

function idOf(number: number): string {
  return Buffer.of(number & 0xff, number >> 8).toString('hex');
}

async function record(id: string): Promise<string> {
  return await bench.answer(getSdr, `0000 ${id} 00 ff`);
}

describe('Get SDR', () => {
  it('starts with the BMC and the FRU inventory', async () => {
    expect(await record('0000')).toBe('00 02 00 01 00 51 12 0e 20 00 00 8f 00 00 00 06 01 00 c3 42 4d 43');
    const name = Buffer.from('Virtual Machine').toString('hex').replaceAll(/(..)/g, ' $1');
    expect(await record('0200')).toBe(`00 03 00 02 00 51 11 1a 20 00 80 00 00 10 00 17 01 00 cf${name}`);
  });

  it('returns a discrete sensor', async () => {
    const name = Buffer.from('Power State').toString('hex').replaceAll(/(..)/g, ' $1');
    expect(await record('0300')).toBe(
      `00 04 00 03 00 51 02 26 20 00 01 07 01 03 42 22 6f 41 00 00 00 41 00 c0 00 00 01 00 00 00 00 00 00 00 cb${name}`,
    );
  });

  it('returns a numeric sensor', async () => {
    const name = Buffer.from('Memory').toString('hex').replaceAll(/(..)/g, ' $1');
    expect(await record('0600')).toBe(
      '00 07 00 06 00 51 01 31 20 00 05 07 01 01 43 0b 01 00 00 00 00 00 00 00 48 00 00 20 00 00 00 00 00 00 00 00 00 80 ' +
        `00 00 00 00 00 00 00 00 00 00 00 00 c6${name}`,
    );
  });

  it('ends with the event sources, except the power sensor', async () => {
    const name = Buffer.from('Lockout').toString('hex').replaceAll(/(..)/g, ' $1');
    expect(await record('ffff')).toBe(`00 ff ff 12 00 51 03 13 20 00 eb 07 01 2a 6f 01 00 00 00 c7${name}`);
    const names = sdrRecords(someSensors()).map((bytes) => bytes.toString('latin1'));
    expect(names.some((text) => text.includes('Power Seen'))).toBe(false);
    expect(sdrRecords([]).some((bytes) => bytes.includes('Power Seen'))).toBe(true);
  });

  it('rejects an unknown record and an invalid range', async () => {
    expect(await record('9900')).toBe('cb');
    expect(await bench.answer(getSdr, '0000 0100 00 14')).toBe('ca');
    await bench.answer(reserveSdrRepository);
    expect(await bench.answer(getSdr, '0100 0100 13 01')).toBe('c9');
  });

  it('requires a valid reservation for an offset', async () => {
    expect(await bench.answer(getSdr, '0000 0100 05 02')).toBe('c5');
    await bench.answer(reserveSdrRepository);
    expect(await bench.answer(getSdr, '0100 0100 05 02')).toBe('00 02 00 20 00');
    expect(await bench.answer(reserveSdrRepository)).toBe('00 02 00');
    expect(await bench.answer(getSdr, '0100 0100 05 02')).toBe('c5');
  });

  it('ends a reservation when the records change', async () => {
    await bench.answer(reserveSdrRepository);
    expect(await bench.answer(getSdr, '0100 0100 05 02')).toBe('00 02 00 20 00');
    bench.bmc.machine.readings = someSensors().slice(1);
    expect(await bench.answer(getSdr, '0100 0100 05 02')).toBe('c5');
    await bench.answer(reserveSdrRepository);
    expect(await bench.answer(getSdr, '0200 0100 05 02')).toBe('00 02 00 20 00');
  });

  it('returns each record completely, in parts of any size', async () => {
    await bench.answer(reserveSdrRepository);
    const records = sdrRecords(someSensors());
    const session = bench.session();
    const someRecord = fc.integer({ min: 1, max: records.length });
    await fc.assert(
      fc.asyncProperty(someRecord, fc.integer({ min: 1, max: 70 }), async (number, size) => {
        const whole = records[number - 1] ?? Buffer.alloc(0);
        const parts: Buffer[] = [];
        for (let offset = 0; offset < whole.length; offset += size) {
          const count = Math.min(size, whole.length - offset);
          const request = `0100 ${idOf(number)} ${Buffer.of(offset, count).toString('hex')}`;
          const { data } = await bench.run(getSdr, request, session);
          parts.push(data.subarray(2));
        }
        expect(Buffer.concat(parts)).toEqual(whole);
      }),
    );
  });
});

describe('the SDR repository', () => {
  it('has valid record lengths and next IDs', async () => {
    const ids: number[] = [];
    for (let next = 0; next !== 0xffff && ids.length < 100;) {
      const { data } = await bench.run(getSdr, `0000 ${idOf(next)} 00 ff`);
      const bytes = data.subarray(2);
      expect(bytes.length).toBe(5 + bytes.readUInt8(4));
      expect(bytes.length).toBeLessThanOrEqual(64);
      ids.push(bytes.readUInt16LE(0));
      next = data.readUInt16LE(0);
    }
    expect(ids).toEqual(sdrRecords(someSensors()).map((_, index) => index + 1));
  });

  it('reports its size, and the same time while the sensors are the same', async () => {
    const info = await bench.answer(getSdrRepositoryInfo);
    const time = uint32(repositoryStamp(sdrRecords(someSensors())))
      .toString('hex')
      .replaceAll(/(..)/g, '$1 ');
    expect(info).toBe(`00 51 12 00 00 00 ${time}${time}03`);
    bench.time += 1_000_000;
    bench.bmc.machine.readings = someSensors({ known: false });
    expect(await bench.answer(getSdrRepositoryInfo)).toBe(info);
    bench.bmc.machine.readings = someSensors().slice(1);
    expect(await bench.answer(getSdrRepositoryInfo)).not.toBe(info);
  });

  it('has no space for another record', async () => {
    expect(await bench.answer(addSdr, '0000 51 c0 03 000000')).toBe('c4');
  });

  it('cannot be erased, and no erasure is in progress', async () => {
    expect(await bench.answer(clearSdrRepository, '0000 434c52 00')).toBe('00 01');
    expect(await bench.answer(clearSdrRepository, '0000 434c52 aa')).toBe('c5');
    await bench.answer(reserveSdrRepository);
    expect(await bench.answer(clearSdrRepository, '0100 434c52 aa')).toBe('d6');
    expect(await bench.answer(clearSdrRepository, '0100 434c52 01')).toBe('cc');
    expect(await bench.answer(clearSdrRepository, '0100 434c53 aa')).toBe('cc');
    expect(await bench.answer(getSdr, '0000 0100 00 02')).toBe('00 02 00 01 00');
  });

  it('has the clock of the event log', async () => {
    expect(await bench.answer(getSdrRepositoryTime)).toBe('00 a5 35 57 69');
    expect(await bench.answer(setSdrRepositoryTime, 'a5 35 57 68')).toBe('00');
    expect([await bench.answer(getSdrRepositoryTime), await bench.answer(getSelTime)]).toEqual([
      '00 a5 35 57 68',
      '00 a5 35 57 68',
    ]);
  });

  it('reports no free space', async () => {
    const count = sdrRecords(someSensors()).length.toString(16).padStart(2, '0');
    expect(await bench.answer(getSdrRepositoryAllocationInfo)).toBe(`00 ${count} 00 40 00 00 00 00 00 01`);
  });
});
