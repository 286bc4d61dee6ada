import { describe, expect, it } from 'vitest';
import { commandBench } from '../../testing/run-command.ts';
import { COMMANDS } from '../command-list.ts';
import { getBmcGlobalEnables, getSelfTestResults, setBmcGlobalEnables } from './fixed-answers.ts';
import { getDeviceGuid } from './guids.ts';

it('Get Self Test Results reports no error', async () => {
  expect(await commandBench().answer(getSelfTestResults)).toBe('00 55 00');
});

it('Get Device GUID returns the UUID of the BMC, only in a session', async () => {
  const bench = commandBench();
  const guid = '00 0f 0e 0d 0c 0b 0a 09 08 07 06 05 04 03 02 01 00';
  expect(await bench.answer(getDeviceGuid, '', bench.session(2))).toBe(guid);
  expect(await bench.answer(getDeviceGuid, '', null)).toBe('d4');
});

describe('BMC global enables', () => {
  it('enable only the event log, which cannot be disabled', async () => {
    const bench = commandBench();
    expect(await bench.answer(getBmcGlobalEnables, '', bench.session(2))).toBe('00 08');
    expect(await bench.answer(setBmcGlobalEnables, '08')).toBe('00');
    for (const other of ['00', '09', '0a', '0c', '28', '88']) {
      expect(await bench.answer(setBmcGlobalEnables, other)).toBe('cc');
    }
  });
});

it.each([
  ['Set Chassis Capabilities', 0x00, 0x05],
  ['Get BT Interface Capabilities', 0x06, 0x36],
  ['Master Write-Read', 0x06, 0x52],
])('%s is not supported', (_name, netFn, number) => {
  expect(COMMANDS.filter((command) => command.netFn === netFn && command.command === number)).toEqual([]);
});
