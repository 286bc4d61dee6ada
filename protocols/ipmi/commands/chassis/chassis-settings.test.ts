import { describe, expect, it } from 'vitest';
import { commandBench } from '../../testing/run-command.ts';
import { getChassisCapabilities, setFrontPanelEnables, setPowerCycleInterval } from './chassis-settings.ts';

describe('Set Front Panel Enables', () => {
  it('accepts no disabled button, and answers 0xCC to others', async () => {
    const bench = commandBench();
    expect(await bench.answer(setFrontPanelEnables, '00')).toBe('00');
    for (const button of ['01', '02', '04', '08']) expect(await bench.answer(setFrontPanelEnables, button)).toBe('cc');
  });
});

describe('Set Power Cycle Interval', () => {
  it('accepts only 0', async () => {
    const bench = commandBench();
    expect(await bench.answer(setPowerCycleInterval, '00')).toBe('00');
    expect(await bench.answer(setPowerCycleInterval, '0a')).toBe('c9');
  });
});

it('Get Chassis Capabilities reports no front panel, and the BMC as every device', async () => {
  expect(await commandBench().answer(getChassisCapabilities)).toBe('00 00 20 20 20 20 20');
});
