import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { MachineError } from '../../../machine/index.ts';
import { MemoryMachine } from '../../../testing/memory-machine.ts';
import { type CommandBench, commandBench } from '../../testing/run-command.ts';
import { BootOptions } from './boot-options.ts';
import { chassisControl } from './chassis-control.ts';
import { getSystemBootOptions as get, setSystemBootOptions as set } from './system-boot-options.ts';

let bench: CommandBench;

beforeEach(() => {
  bench = commandBench();
});

const REQUESTER = { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' } as const;

async function flagsOf(): Promise<string> {
  return await bench.answer(get, '050000');
}

describe('boot flags, parameter 5', () => {
  it('set the override, with the requester', async () => {
    expect(await bench.answer(set, '05 a0 56 12 34 56')).toBe('00');
    const override = { device: 'Cd', persistence: 'Once', firmware: 'UEFI', instance: 6 };
    expect(bench.bmc.machine.calls).toMatchObject([{ kind: 'bootOverride', override, requester: REQUESTER }]);
    expect(await flagsOf()).toBe('00 01 05 a0 56 12 34 56');
  });

  it('show an override set by another process or protocol', async () => {
    await bench.answer(set, '05 80 88 00 00 00');
    await bench.bmc.machine.setBootOverride({ device: 'Cd', persistence: 'Continuous', firmware: 'UEFI' }, REQUESTER);
    expect(await flagsOf()).toBe('00 01 05 e0 14 00 00 00');
  });

  it("show a changed boot order of the machine's devices", async () => {
    await bench.answer(set, '05 80 04 00 00 00');
    await bench.bmc.machine.setBootOverride({ device: 'Pxe', persistence: 'Once', instance: 2 }, REQUESTER);
    expect(await flagsOf()).toBe('00 01 05 80 04 00 00 12');
  });

  it('read back as written, or are rejected without a change', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 5, maxLength: 5 }), async (bytes) => {
        bench = commandBench();
        const before = await flagsOf();
        const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
        const answer = await bench.answer(set, `05 ${hex}`);
        const device = ((bytes[1] ?? 0) >> 2) & 0x0f;
        const isKnown = ((bytes[0] ?? 0) & 0x80) === 0 || [0, 1, 2, 5, 6, 15].includes(device);
        expect([answer, await flagsOf()]).toEqual(isKnown ? ['00', `00 01 05 ${hex}`] : ['cc', before]);
      }),
    );
  });

  it('read as zero before the first write and after their boot', async () => {
    expect(await flagsOf()).toBe('00 01 05 00 00 00 00 00');
    await bench.answer(set, '05 80 04 00 00 00');
    await bench.answer(chassisControl, '02');
    expect(await flagsOf()).toBe('00 01 05 00 00 00 00 00');
  });

  it.each([
    ['an unknown device', '05 80 0c 00 00 00', 'cc'],
    ['a missing byte', '05 80 04 00 00', 'c7'],
  ])('are not changed by %s', async (_name, data, answer) => {
    await bench.answer(set, '05 c0 04 00 00 00');
    expect(await bench.answer(set, data)).toBe(answer);
    expect(await flagsOf()).toBe('00 01 05 c0 04 00 00 00');
  });

  it('are not changed if the machine rejects them', async () => {
    bench.bmc.machine.nextError = new MachineError('Busy', 'powering on');
    expect(await bench.answer(set, '05 80 04 00 00 00')).toBe('c0');
    expect(await flagsOf()).toBe('00 01 05 00 00 00 00 00');
  });
});

describe('unused boot flags', () => {
  /** The lapse time passed to the machine. */
  async function lapseAfter(...writes: string[]): Promise<number | undefined> {
    for (const write of writes) await bench.answer(set, write);
    const call = bench.bmc.machine.calls.at(-1);
    expect(call).toMatchObject({ kind: 'bootOverride', override: { device: 'Pxe' } });
    return call?.kind === 'bootOverride' ? call.lapseAfter : undefined;
  }

  it('lapse after 60 s', async () => {
    expect(await lapseAfter('05 80 04 00 00 00')).toBe(60_000);
  });

  it('do not lapse if the client disabled that before, as Ironic does', async () => {
    expect(await lapseAfter('03 08', '05 80 04 00 00 00')).toBeUndefined();
  });

  it('do not lapse if they apply to all boots', async () => {
    expect(await lapseAfter('05 c0 04 00 00 00')).toBeUndefined();
  });

  it('lapse after a configured time, or never', async () => {
    for (const [timeout, told] of [
      [5_000, 5_000],
      [0, undefined],
    ] as const) {
      const machine = new MemoryMachine();
      bench = commandBench({ machine, bootOptions: new BootOptions(machine, timeout) });
      expect(await lapseAfter('05 80 04 00 00 00')).toBe(told);
    }
  });
});

describe('boot flags without a device', () => {
  const NONE = '05 80 80 00 00 00';

  it('are valid for 60 s, like those with a device', async () => {
    await bench.answer(set, NONE);
    bench.now += 59_999;
    expect(await flagsOf()).toBe('00 01 05 80 80 00 00 00');
    bench.now += 1;
    expect(await flagsOf()).toBe('00 01 05 00 80 00 00 00');
  });

  it('stay valid if the client disabled the timeout', async () => {
    await bench.answer(set, '03 08');
    await bench.answer(set, NONE);
    bench.now += 1e9;
    expect(await flagsOf()).toBe('00 01 05 80 80 00 00 00');
  });
});

describe('boot flags at a watchdog boot', () => {
  it.each([
    ['00', '05 80 04 00 00 00', undefined],
    ['04', '05 80 04 00 00 00', 'Pxe'],
    ['00', '05 c0 04 00 00 00', 'Pxe'],
  ])('with valid bit clearing %s: %s result in %s', async (clearing, flags, device) => {
    await bench.answer(set, `03 ${clearing}`);
    await bench.answer(set, flags);
    await bench.bmc.bootOptions.clearBeforeWatchdog(REQUESTER);
    expect(bench.bmc.machine.bootOverride()?.device).toBe(device);
  });
});

describe('set in progress, parameter 0', () => {
  it('blocks other sessions until the first has completed or ended', async () => {
    const [first, second] = [bench.session(), bench.session()];
    expect(await bench.answer(set, '00 01', first)).toBe('00');
    expect(await bench.answer(set, '00 01', first)).toBe('00');
    expect(await bench.answer(get, '000000', second)).toBe('00 01 00 01');
    expect(await bench.answer(set, '00 01', second)).toBe('81');
    bench.bmc.sessions.end(first, 'Closed');
    expect(await bench.answer(set, '00 01', second)).toBe('00');
    expect(await bench.answer(set, '00 02', second)).toBe('00');
    expect(await bench.answer(set, '00 00', second)).toBe('00');
    expect(await bench.answer(get, '000000', second)).toBe('00 01 00 00');
  });

  it('answers 0xCC to an invalid state', async () => {
    expect(await bench.answer(set, '00 03')).toBe('cc');
  });
});

describe('boot option parameter', () => {
  it('3, valid bit clearing, reads as written', async () => {
    expect(await bench.answer(set, '03 08')).toBe('00');
    expect(await bench.answer(get, '030000')).toBe('00 01 03 08');
  });

  it('4, boot info acknowledge, changes only masked bits', async () => {
    await bench.answer(set, '04 ff 0f');
    expect(await bench.answer(set, '04 01 00')).toBe('00');
    expect(await bench.answer(get, '040000')).toBe('00 01 04 00 0e');
  });

  it.each([
    ['1, service partition selector', '01', '7f', '7f'],
    ['2, service partition scan', '02', 'ff', '03'],
    ['6, boot initiator info', '06', 'f1 02 03 04 05 06 07 08 09', '01 02 03 04 05 06 07 08 09'],
  ])('%s, stores the written value', async (_name, parameter, written, read) => {
    expect((await bench.answer(get, `${parameter} 00 00`)).replaceAll(' 00', '')).toBe(`00 01 ${parameter}`);
    expect(await bench.answer(set, `${parameter} ${written}`)).toBe('00');
    expect(await bench.answer(get, `${parameter} 00 00`)).toBe(`00 01 ${parameter} ${read}`);
    expect(await bench.answer(set, `${parameter} ${written} 00`)).toBe('c7');
  });

  it('7, boot initiator mailbox, has 16 blocks of 16 bytes', async () => {
    const block = 'a2 02 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d';
    expect(await bench.answer(set, `07 00 ${block}`)).toBe('00');
    expect(await bench.answer(set, '07 0f ff')).toBe('00');
    expect(await bench.answer(get, '07 00 00')).toBe(`00 01 07 00 ${block}`);
    expect(await bench.answer(get, '07 0f 00')).toBe(`00 01 07 0f ff${' 00'.repeat(15)}`);
    expect(await bench.answer(get, '07 01 00')).toBe(`00 01 07 01${' 00'.repeat(16)}`);
    expect(await bench.answer(set, '07 10 ff')).toBe('c9');
    expect(await bench.answer(get, '07 10 00')).toBe('c9');
    expect(await bench.answer(set, '07 00')).toBe('c7');
    expect(await bench.answer(set, `07 00 ${block} 00`)).toBe('c7');
  });

  it.each(['08', '5f', '60', '7f'])('%s is not supported', async (parameter) => {
    expect(await bench.answer(set, `${parameter} 00`)).toBe('80');
    expect(await bench.answer(get, `${parameter} 00 00`)).toBe('80');
  });

  it('is marked as locked, also by a selector without data', async () => {
    expect(await bench.answer(set, '85')).toBe('00');
    expect(await bench.answer(get, '050000')).toBe('00 01 85 00 00 00 00 00');
    await bench.answer(set, '05 80 04 00 00 00');
    expect(await bench.answer(get, '050000')).toBe('00 01 05 80 04 00 00 00');
  });
});
