import { describe, expect, it } from 'vitest';
import { commandBench } from '../../testing/run-command.ts';
import { setFrontPanelEnables, setPowerCycleInterval } from './chassis-settings.ts';

describe('Set Front Panel Enables', () => {
  it('accepts no disabled button, and answers 0xCC to others', async () => {
    const bench = commandBench();
    expect(await bench.answer(setFrontPanelEnables, '00')).toBe('00');
    for (const button of ['01', '02', '04', '08']) expect(await bench.answer(setFrontPanelEnables, button)).toBe('cc');
    expect(await bench.answer(setFrontPanelEnables, '')).toBe('c7');
    expect(await bench.answer(setFrontPanelEnables, '00', bench.session(3))).toBe('d4');
  });
});

describe('Set Power Cycle Interval', () => {
  it('accepts only 0', async () => {
    const bench = commandBench();
    expect(await bench.answer(setPowerCycleInterval, '00')).toBe('00');
    expect(await bench.answer(setPowerCycleInterval, '0a')).toBe('c9');
    expect(await bench.answer(setPowerCycleInterval, '00', bench.session(3))).toBe('d4');
  });
});
