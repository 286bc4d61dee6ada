import { describe, expect, it } from 'vitest';
import { Figures, median, table, type Measurement } from './measurement.ts';

describe('median', () => {
  it.each([
    [[3], 3],
    [[1, 3], 2],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('needs at least one value', () => {
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

  it('shows the goal', () => {
    const row = (measured: Measurement) => table([measured]).at(-1)?.split('|').at(-2)?.trim();
    expect(row({ ...measurement('groundcrew', 'ms', 20), goal: 3000 })).toBe('≤ 3,000 ms');
    expect(row({ ...measurement('groundcrew', '/s', 20), goal: 10 })).toBe('≥ 10 /s');
  });

  it('shows a ratio above 1 for a slower peer', () => {
    expect(ratios(measurement('groundcrew', 'ms', 20), measurement('peer', 'ms', 25))).toEqual(['', '1.25']);
    expect(ratios(measurement('groundcrew', 'ms', 20), measurement('peer', 'ms', 10_000))).toEqual(['', '500']);
  });

  it('shows a ratio below 1 for a peer with a higher rate', () => {
    expect(ratios(measurement('groundcrew', '/s', 500), measurement('peer', '/s', 1000))).toEqual(['', '0.50']);
  });

  it('shows the spread of the ratio of figures that were measured in turns', () => {
    const inTurns = (server: string, ...values: number[]) =>
      ({ ...measurement(server, '/s', ...values), alternates: true }) as const;
    expect(ratios(inTurns('groundcrew', 8000, 10_000, 9000), inTurns('peer', 5000, 4000, 4000))).toEqual([
      '',
      '2.25 (1.60 to 2.50)',
    ]);
    expect(ratios(inTurns('groundcrew', 8000, 10_000), inTurns('peer', 5000))).toEqual(['', '1.80']);
  });

  it('shows no ratio if ours is zero', () => {
    expect(ratios(measurement('groundcrew', 'datagrams', 0), measurement('peer', 'datagrams', 20))).toEqual(['', '']);
  });

  it('shows two digits of values below 1', () => {
    const row = table([measurement('groundcrew', 'ms', 0.0456, 0.0456, 9.87)]).at(-1);
    expect(row).toContain('| 0.046 ms | 0.046 ms | 9.9 ms |');
  });

  it('compares only equal quantities', () => {
    expect(ratios(measurement('groundcrew', 'ms', 20), measurement('peer', '/s', 20))).toEqual(['', '']);
  });
});

describe('figures', () => {
  it('are listed by row and server; goals apply to ours only', () => {
    const figures = new Figures({
      p99: { what: 'one exchange, p99', unit: 'ms', goal: 1 },
      memory: { what: 'resident memory', unit: 'MB', goal: 80 },
    });
    figures.add('Kea', 'memory', 60);
    figures.add('groundcrew', 'p99', 0.5);
    figures.add('groundcrew', 'memory', 70);
    figures.add('groundcrew', 'memory', 71);
    expect(figures.measurements()).toEqual([
      { what: 'one exchange, p99', unit: 'ms', server: 'groundcrew', values: [0.5], goal: 1 },
      { what: 'resident memory', unit: 'MB', server: 'Kea', values: [60] },
      { what: 'resident memory', unit: 'MB', server: 'groundcrew', values: [70, 71], goal: 80 },
    ]);
  });
});
