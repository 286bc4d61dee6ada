import { describe, expect, it } from 'vitest';
import { commandBench } from '../../testing/run-command.ts';
import { getWatchdogTimer as get, resetWatchdogTimer as reset, setWatchdogTimer as set } from './watchdog-commands.ts';

describe('the watchdog commands', () => {
  it('report zeros for a timer that was never set, and do not start it', async () => {
    const bench = commandBench();
    expect(await bench.answer(get)).toBe('00 00 00 00 00 00 00 00 00');
    expect(await bench.answer(reset)).toBe('80');
  });

  it('set, start and read the timer', async () => {
    const bench = commandBench();
    const session = bench.session(3);
    expect(await bench.answer(set, '84 03 05 3e 64 00', session)).toBe('00');
    expect(await bench.answer(get, '', session)).toBe('00 84 03 05 00 64 00 64 00');
    expect(await bench.answer(reset, '', session)).toBe('00');
    bench.now += 1_950;
    expect(await bench.answer(get, '', bench.session(2))).toBe('00 c4 03 05 00 64 00 51 00');
  });

  it.each([
    ['use 0', '00 01 00 00 64 00', 'cc'],
    ['a reserved use', '06 01 00 00 64 00', 'cc'],
    ['a reserved action', '04 04 00 00 64 00', 'cc'],
    ['an SMI', '04 11 00 00 64 00', 'cc'],
    ['an NMI', '04 21 00 00 64 00', 'cc'],
    ['a messaging interrupt', '04 31 00 00 64 00', 'cc'],
    ['a missing byte', '04 01 00 00 64', 'c7'],
    ['an extra byte', '04 01 00 00 64 00 00', 'c7'],
  ])('reject %s', async (_name, data, answer) => {
    const bench = commandBench();
    expect(await bench.answer(set, data)).toBe(answer);
    expect(await bench.answer(get)).toBe('00 00 00 00 00 00 00 00 00');
  });
});
