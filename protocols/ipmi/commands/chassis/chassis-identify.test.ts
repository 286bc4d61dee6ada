import { describe, expect, it } from 'vitest';
import { commandBench } from '../../testing/run-command.ts';
import { chassisIdentify } from './chassis-identify.ts';
import { getChassisStatus } from './get-chassis-status.ts';

/** The third byte of Get Chassis Status `seconds` after the requests. */
async function stateAfter(seconds: number, ...requests: string[]): Promise<string | undefined> {
  const bench = commandBench();
  for (const data of requests) expect(await bench.answer(chassisIdentify, data)).toBe('00');
  bench.now += seconds * 1_000;
  return (await bench.answer(getChassisStatus)).split(' ')[3];
}

const [OFF, TEMPORARY, INDEFINITE] = ['40', '50', '60'];

describe('Chassis Identify', () => {
  it('is on for 15 s by default', async () => {
    expect(await stateAfter(0, '')).toBe(TEMPORARY);
    expect(await stateAfter(14, '')).toBe(TEMPORARY);
    expect(await stateAfter(15, '')).toBe(OFF);
  });

  it('is on for the given time, and off at 0', async () => {
    expect(await stateAfter(254, 'ff')).toBe(TEMPORARY);
    expect(await stateAfter(255, 'ff 00')).toBe(OFF);
    expect(await stateAfter(0, 'ff', '00')).toBe(OFF);
  });

  it('stays on with the force bit until it is turned off', async () => {
    expect(await stateAfter(1e9, '00 01')).toBe(INDEFINITE);
    expect(await stateAfter(0, '00 01', '00')).toBe(OFF);
  });
});
