import { describe, expect, it } from 'vitest';
import { testBmc } from '../../testing/test-bmc.ts';
import { commandBench } from '../../testing/run-command.ts';
import { chassisIdentify } from '../chassis/chassis-identify.ts';
import { setSystemBootOptions } from '../chassis/system-boot-options.ts';
import { getSdr, reserveSdrRepository } from '../sdr/sdr-commands.ts';
import { clearSel, reserveSel } from '../sel/clear-sel.ts';
import { getSelEntry } from '../sel/sel-entries.ts';
import { resetWatchdogTimer, setWatchdogTimer } from '../watchdog/watchdog-commands.ts';
import { coldReset, warmReset } from './resets.ts';

/** A BMC with changed state, and a client that has reset it. */
async function resetWith(command: typeof coldReset) {
  const bench = commandBench();
  await bench.answer(chassisIdentify, '00 01');
  await bench.answer(setSystemBootOptions, '03 08');
  await bench.answer(setSystemBootOptions, '05 c0 06 12 34 56');
  await bench.answer(setWatchdogTimer, '04 01 00 00 64 00');
  await bench.answer(resetWatchdogTimer);
  expect(await bench.answer(command)).toBe('00');
  const { bootOptions, identify, watchdog, sessions, machine } = bench.bmc;
  return {
    identify: identify.stateAt(bench.now),
    clearing: bootOptions.validBitClearing,
    flags: bootOptions.flags(bench.now).toString('hex'),
    watchdog: watchdog.read(bench.now).toString('hex'),
    sessions: sessions.activeCount,
    override: machine.bootOverride()?.device,
    actions: machine.powerActions,
  };
}

describe('Cold Reset', () => {
  it('resets state in memory, keeps stored state, and does not affect the machine', async () => {
    expect(await resetWith(coldReset)).toEqual({
      ...{ identify: 'Off', clearing: 0, flags: 'c004000016', watchdog: '0401000064006400', sessions: 0 },
      ...{ override: 'Pxe', actions: [] },
    });
  });
});

describe('reservations', () => {
  it.each([
    [coldReset, 'c5'],
    [warmReset, '00'],
  ])('after $name', async (reset, expected) => {
    const bench = commandBench();
    bench.bmc.machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    await bench.answer(reserveSel);
    await bench.answer(reserveSdrRepository);
    await bench.answer(reset);
    expect((await bench.answer(getSdr, '0100 0100 05 02')).slice(0, 2)).toBe(expected);
    expect((await bench.answer(getSelEntry, '0100 0000 00 08')).slice(0, 2)).toBe(expected);
    expect((await bench.answer(clearSel, '0100 43 4c 52 aa')).slice(0, 2)).toBe(expected);
  });
});

describe('Warm Reset', () => {
  it('ends only other sessions', async () => {
    expect(await resetWith(warmReset)).toEqual({
      ...{ identify: 'Indefinite', clearing: 8, flags: 'c006123456', watchdog: '4401000064006400', sessions: 1 },
      ...{ override: 'Pxe', actions: [] },
    });
  });
});

describe.each([
  ['cold', 0x02, 0],
  ['warm', 0x03, 1],
])('a %s reset over the wire', (_kind, command, sessionsLeft) => {
  it('is answered before sessions end, and log-in works again at once', async () => {
    const bmc = testBmc();
    const [client, other] = [await bmc.loggedIn(), await bmc.loggedIn()];
    expect((await client.command(0x06, command)).completionCode).toBe(0);
    expect(bmc.server.sessionCount).toBe(sessionsLeft);
    await expect(other.command(0x06, 0x01)).rejects.toThrow();
    expect((await (await bmc.loggedIn()).command(0x06, 0x01)).completionCode).toBe(0);
  });
});
