import { expect, it } from 'vitest';
import { exposition, PairCounts, processMetrics } from './index.ts';

it('escapes special characters in label values', () => {
  const samples = [{ labels: { pool: 'a"b\\c\nd' }, value: Infinity }];
  expect(exposition([{ name: 'x', help: 'y', type: 'gauge', samples }])).toBe(
    '# HELP x y\n# TYPE x gauge\nx{pool="a\\"b\\\\c\\nd"} +Inf\n',
  );
});

it('shows a pair before it occurs, and counts it from there', () => {
  const counts = new PairCounts<string, number>();
  counts.begin('a', 1);
  counts.add('b', 2);
  counts.add('b', 2);
  expect([...counts]).toEqual([
    ['a', 1, 0],
    ['b', 2, 2],
  ]);
});

it('adds the metrics of the process and the version of the program', () => {
  const own = { name: 'x', help: 'y', type: 'gauge', samples: [{ value: 1 }] } as const;
  const text = processMetrics({ component: 'bmc-agent', version: '1.2.3' }, () => [own])
    .parts()
    .join('');
  expect(text).toContain('x 1\n');
  expect(text).toContain('groundcrew_build_info{component="bmc-agent",version="1.2.3"} 1\n');
  expect(text).toMatch(/^process_resident_memory_bytes [1-9]\d+$/m);
});
