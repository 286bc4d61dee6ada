import { expect, it } from 'vitest';
import { Figures } from './figures.ts';

it('gives the values of each server, in the order of the table, with goals for ours alone', () => {
  const figures = new Figures({
    p99: { what: 'one exchange, p99', unit: 'ms', goal: 1 },
    memory: { what: 'resident memory', unit: 'MB', goal: 80 },
  });
  figures.add('Kea', 'memory', 60);
  figures.add('groundcrew', 'p99', 0.5);
  figures.add('groundcrew', 'memory', 70);
  figures.add('groundcrew', 'memory', 71);
  expect(figures.measurements()).toEqual([
    { what: expect.stringContaining('p99') as string, unit: 'ms', server: 'groundcrew', values: [0.5], goal: 1 },
    { what: expect.stringContaining('memory') as string, unit: 'MB', server: 'Kea', values: [60] },
    { what: expect.stringContaining('memory') as string, unit: 'MB', server: 'groundcrew', values: [70, 71], goal: 80 },
  ]);
});
