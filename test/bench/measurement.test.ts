import { describe, expect, it } from 'vitest';
import { median, table, type Measurement } from './measurement.ts';

describe('median', () => {
  it.each([
    [[3], 3],
    [[1, 3], 2],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('needs a value', () => {
    expect(() => median([])).toThrow(RangeError);
  });
});

describe('table', () => {
  const measurement = (server: string, unit: Measurement['unit'], ...values: number[]): Measurement => ({
    what: `something in ${unit}`,
    server,
    unit,
    values,
  });
  const ratios = (...measurements: Measurement[]) =>
    table(measurements)
      .slice(2)
      .map((row) => row.split('|').at(-3)?.trim());

  it('shows median, extremes and runs', () => {
    expect(table([measurement('groundcrew', 'ms', 1000, 1200.4, 3000)]).at(-1)).toBe(
      '| something in ms | groundcrew | 1,200 ms | 1,000 ms | 3,000 ms | 3 |  |  |',
    );
  });

  it('names the goal', () => {
    const row = (measured: Measurement) => table([measured]).at(-1)?.split('|').at(-2)?.trim();
    expect(row({ ...measurement('groundcrew', 'ms', 20), goal: 3000 })).toBe('≤ 3,000 ms');
    expect(row({ ...measurement('groundcrew', '/s', 20), goal: 10 })).toBe('≥ 10 /s');
  });

  it('has a ratio above 1 for a peer that takes longer', () => {
    expect(ratios(measurement('groundcrew', 'ms', 20), measurement('peer', 'ms', 25))).toEqual(['', '1.25']);
    expect(ratios(measurement('groundcrew', 'ms', 20), measurement('peer', 'ms', 10_000))).toEqual(['', '500']);
  });

  it('has a ratio below 1 for a peer that does more in a second', () => {
    expect(ratios(measurement('groundcrew', '/s', 500), measurement('peer', '/s', 1000))).toEqual(['', '0.50']);
  });

  it('has no ratio where ours is nothing', () => {
    expect(ratios(measurement('groundcrew', 'datagrams', 0), measurement('peer', 'datagrams', 20))).toEqual(['', '']);
  });

  it('shows two digits of what is less than one', () => {
    const row = table([measurement('groundcrew', 'ms', 0.0456, 0.0456, 9.87)]).at(-1);
    expect(row).toContain('| 0.046 ms | 0.046 ms | 9.9 ms |');
  });

  it('compares what is the same', () => {
    expect(ratios(measurement('groundcrew', 'ms', 20), measurement('peer', '/s', 20))).toEqual(['', '']);
  });
});
