import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Hardware, MachineIdentity } from '../../../machine/index.ts';
import { MemoryMachine } from '../../../testing/index.ts';
import { commandBench, type CommandBench } from '../../testing/run-command.ts';
import { fruOf, getFruInventoryAreaInfo, readFruData, writeFruData } from './fru-commands.ts';

const HARDWARE: Hardware = {
  manufacturer: 'ACME',
  model: 'u1.medium',
  serial: 'S-1',
  assetTag: 'rack 7',
  createdAt: Date.UTC(2025, 5, 1, 12, 30, 59),
  cpuCount: 2,
  cpuModel: 'host-model',
  memoryBytes: 4 * 2 ** 30,
  firmware: 'UEFI',
  operatingSystem: { name: 'Fedora Linux', version: '40', hostname: 'web' },
  networkInterfaces: [{ name: 'default', macAddress: '02:00:00:00:00:01', ipAddresses: ['10.0.0.1'] }],
  disks: [],
};

interface Area {
  head: Buffer;
  fields: string[];
}

/** Parses a FRU as clients do; throws if it is invalid. */
function parse(fru: Buffer): { chassis: Area; board: Area; product: Area } {
  const header = fru.subarray(0, 8);
  expect(sum(header)).toBe(0);
  expect([header[0], header[1], header[5]]).toEqual([1, 0, 0]);
  const area = (index: number, headLength: number): Area => {
    const start = header.readUInt8(index) * 8;
    const bytes = fru.subarray(start, start + fru.readUInt8(start + 1) * 8);
    expect([bytes.readUInt8(0), sum(bytes)]).toEqual([1, 0]);
    return { head: bytes.subarray(2, 2 + headLength), fields: fieldsOf(bytes, 2 + headLength) };
  };
  return { chassis: area(2, 1), board: area(3, 4), product: area(4, 1) };
}

function fieldsOf(area: Buffer, start: number): string[] {
  const fields: string[] = [];
  let offset = start;
  for (let type = area.readUInt8(offset); type !== 0xc1; type = area.readUInt8(offset)) {
    expect(type & 0xc0).toBe(0xc0);
    const end = offset + 1 + (type & 0x3f);
    fields.push(area.toString('latin1', offset + 1, end));
    offset = end;
  }
  expect(area.subarray(offset + 1, -1).every((byte) => byte === 0)).toBe(true);
  return fields;
}

function sum(bytes: Buffer): number {
  return bytes.reduce((total, byte) => (total + byte) & 0xff, 0);
}

let bench: CommandBench;

beforeEach(() => {
  bench = commandBench();
  bench.bmc.machine.parts = HARDWARE;
});

describe('the FRU inventory', () => {
  it('contains the data of the machine’s platform', () => {
    const { chassis, board, product } = parse(fruOf(bench.bmc, 0));
    expect(chassis).toEqual({ head: Buffer.of(0x01), fields: ['', 'S-1', 'default/testvm'] });
    const minutes = (Date.UTC(2025, 5, 1, 12, 30) - Date.UTC(1996, 0, 1)) / 60_000;
    expect([board.head.readUInt8(0), board.head.readUIntLE(1, 3)]).toEqual([0, minutes]);
    expect(board.fields).toEqual(['ACME', 'Virtual Machine', 'S-1', 'u1.medium', '']);
    expect(product.head).toEqual(Buffer.of(0));
    expect(product.fields).toEqual([
      ...['ACME', 'default/testvm', 'u1.medium', '', 'S-1', 'rack 7', ''],
      'UUID: 5d307ca9-b3ef-428c-8861-06e72d69f223',
      'vCPUs: 2',
      'CPU: host-model',
      'Memory: 4096 MiB',
      'Firmware: UEFI',
      'Hostname: web',
      'OS: Fedora Linux 40',
      'NIC default: 02:00:00:00:00:01',
    ]);
  });

  it('omits unknown data', () => {
    bench.bmc.machine.parts = { manufacturer: 'ACME', networkInterfaces: [], disks: [] };
    const { board, product } = parse(fruOf(bench.bmc, 0));
    expect(board.head.readUIntLE(1, 3)).toBe(0);
    expect(board.fields).toEqual(['ACME', 'Virtual Machine', '', '', '']);
    expect(product.fields.slice(2)).toEqual(['', '', '', '', '', 'UUID: 5d307ca9-b3ef-428c-8861-06e72d69f223']);
  });

  it('contains an asset tag set by a client', async () => {
    await bench.bmc.settings.change(() => ({ dcmi: { assetTag: 'mine' } }));
    expect(parse(fruOf(bench.bmc, 0)).product.fields[5]).toBe('mine');
  });

  it('can be parsed for any machine data', () => {
    const text = fc.string({ unit: 'binary', maxLength: 100 });
    const maybe = fc.option(text, { nil: undefined });
    const hardware = fc.record({
      manufacturer: text,
      model: maybe,
      serial: maybe,
      assetTag: maybe,
      createdAt: fc.option(fc.integer({ min: -1, max: 4_000_000_000_000 }), { nil: undefined }),
      memoryBytes: fc.option(fc.nat(), { nil: undefined }),
      networkInterfaces: fc.array(fc.record({ name: text, macAddress: text, ipAddresses: fc.constant([]) }), {
        maxLength: 20,
      }),
      disks: fc.constant([]),
    });
    fc.assert(
      fc.property(hardware, text, (parts, name) => {
        const identity: MachineIdentity = { name };
        const machine = new MemoryMachine({ identity });
        machine.parts = parts;
        const fru = fruOf({ ...bench.bmc, machine }, 0);
        const { product } = parse(fru);
        expect(fru.length).toBeLessThan(0x1_0000);
        expect(product.fields.length).toBeGreaterThanOrEqual(7);
      }),
    );
  });
});

describe('the FRU commands', () => {
  it('report the length', async () => {
    const { length } = fruOf(bench.bmc, 0);
    const hex = Buffer.of(length & 0xff, length >> 8)
      .toString('hex')
      .replace(/(..)/, '$1 ');
    expect(await bench.answer(getFruInventoryAreaInfo, '00', bench.session(2))).toBe(`00 ${hex} 00`);
  });

  it('read parts that add up to the whole', async () => {
    const whole = fruOf(bench.bmc, 0);
    const session = bench.session();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 255 }), async (size) => {
        const parts: Buffer[] = [];
        for (let offset = 0; offset < whole.length; offset += size) {
          const request = Buffer.of(0, offset & 0xff, offset >> 8, size).toString('hex');
          const { data } = await bench.run(readFruData, request, session);
          parts.push(data);
        }
        expect(parts.map((part) => part.readUInt8(0))).toEqual(parts.map((part) => part.length - 1));
        expect(Buffer.concat(parts.map((part) => part.subarray(1)))).toEqual(whole);
      }),
    );
  });

  it('reject an offset after the end', async () => {
    expect(await bench.answer(readFruData, '00 ff ff 10')).toBe('c9');
  });

  it('reject writes', async () => {
    expect(await bench.answer(writeFruData, '00 00 00 01')).toBe('80');
  });

  it('reject other FRU devices', async () => {
    expect(await bench.answer(getFruInventoryAreaInfo, '01')).toBe('cb');
    expect(await bench.answer(readFruData, '01 00 00 10')).toBe('cb');
    expect(await bench.answer(writeFruData, '01 00 00 01')).toBe('cb');
  });
});
