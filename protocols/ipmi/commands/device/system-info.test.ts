import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { MachineError } from '../../../machine/index.ts';
import { commandBench, type CommandBench } from '../../testing/run-command.ts';
import { getSystemInfoParameters as get, setSystemInfoParameters as set } from './system-info.ts';

let bench: CommandBench;

beforeEach(() => {
  bench = commandBench();
});

function hex(...bytes: (number | string)[]): string {
  return Buffer.concat(bytes.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.of(part)))).toString(
    'hex',
  );
}

/** Reads a string as clients do: blocks up to the length in the first block. */
async function stringOf(parameter: number): Promise<{ encoding: number; text: string }> {
  const blocks: Buffer[] = [];
  let length = 16;
  for (let block = 0; block * 16 < length; block += 1) {
    const { completionCode, data } = await bench.run(get, hex(0, parameter, block, 0));
    expect([completionCode, data[0], data[1], data.length]).toEqual([0, 0x11, block, 18]);
    blocks.push(data.subarray(2));
    if (block === 0) length = 2 + data.readUInt8(3);
  }
  const all = Buffer.concat(blocks);
  return { encoding: all.readUInt8(0) & 0x0f, text: all.subarray(2, length).toString() };
}

describe('system info', () => {
  it('defaults to the name of the machine and the data of its guest agent', async () => {
    bench.bmc.machine.parts = {
      manufacturer: 'ACME',
      networkInterfaces: [],
      disks: [],
      operatingSystem: { name: 'Debian GNU/Linux', version: '13 (trixie)' },
    };
    const texts = await Promise.all([1, 2, 3, 4, 5, 6, 7].map(async (number) => (await stringOf(number)).text));
    expect(texts).toEqual([
      '',
      'default/testvm',
      'Debian GNU/Linux',
      'Debian GNU/Linux 13 (trixie)',
      '13 (trixie)',
      '',
      '',
    ]);
  });

  it('has blocks of 16 bytes, the first with encoding and length', async () => {
    const block = '00 0e 64 65 66 61 75 6c 74 2f 74 65 73 74 76 6d';
    expect(await bench.answer(get, '00 02 00 00', bench.session(2))).toBe(`00 11 00 ${block}`);
    expect(await bench.answer(get, '00 02 01 00')).toBe('c9');
    expect(await bench.answer(get, '80 02 00 00')).toBe('00 11');
  });

  it('keeps values written by a client, also in the next process', async () => {
    expect(await bench.answer(set, hex(2, 0, 0, 20, 'rack 7, unit 4'))).toBe('00');
    expect(await bench.answer(set, hex(2, 1, ' (left)'.slice(0, 6)))).toBe('00');
    bench = commandBench({ settings: bench.bmc.settings });
    expect(await stringOf(2)).toEqual({ encoding: 0, text: 'rack 7, unit 4 (left' });
  });

  it('reads back as written, with any length', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 7 }), fc.uint8Array({ maxLength: 255 }), async (number, bytes) => {
        bench = commandBench();
        const text = Buffer.concat([Buffer.of(1, bytes.length), bytes]);
        for (let at = 0; at < text.length; at += 16) {
          const data = Buffer.concat([Buffer.of(number, at / 16), text.subarray(at, at + 16)]).toString('hex');
          expect(await bench.answer(set, data)).toBe('00');
        }
        expect(await stringOf(number)).toEqual({ encoding: 1, text: Buffer.from(bytes).toString() });
      }),
      { numRuns: 50 },
    );
  });

  it('can be set by one session at a time', async () => {
    const [first, second] = [bench.session(), bench.session()];
    expect(await bench.answer(set, '00 01', first)).toBe('00');
    expect(await bench.answer(get, '00 00 00 00', second)).toBe('00 11 01');
    expect(await bench.answer(set, '00 01', second)).toBe('81');
  });

  it.each([
    ['a parameter that does not exist', set, '08 00 00', '80'],
    ['a parameter that does not exist', get, '00 08 00 00', '80'],
    ['an OEM parameter', get, '00 c0 00 00', '80'],
    ['a state that does not exist', set, '00 03', 'cc'],
    ['a state of two bytes', set, '00 01 00', 'c7'],
    ['a block without bytes', set, '02 00', 'c7'],
    ['a block of 17 bytes', set, `02 00 ${'00 '.repeat(17)}`, 'c7'],
    ['a block after the last one', set, '02 11 00', 'c9'],
    ['too few selectors', get, '00 02 00', 'c7'],
  ])('rejects %s', async (_name, command, data, answer) => {
    expect(await bench.answer(command, data)).toBe(answer);
  });

  it('reports a storage error', async () => {
    Object.assign(bench.bmc.settings, { nextError: new MachineError('Unavailable', 'no API') });
    expect(await bench.answer(set, hex(2, 0, 0, 1, 'x'))).toBe('d3');
  });
});
