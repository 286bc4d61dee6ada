import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LineOutput } from './line-output.ts';

const written: string[] = [];
let output: LineOutput;

beforeEach(() => {
  vi.useFakeTimers();
  written.length = 0;
  output = new LineOutput((text) => written.push(text));
});
afterEach(() => vi.useRealTimers());

it('writes the lines of a moment together', () => {
  output.add('one\n', false);
  output.add('two\n', false);
  expect(written).toEqual([]);
  vi.advanceTimersByTime(100);
  expect(written).toEqual(['one\ntwo\n']);
  vi.advanceTimersByTime(1_000);
  expect(written).toHaveLength(1);
});

it('writes an urgent line at once, after those that wait', () => {
  output.add('one\n', false);
  output.add('urgent\n', true);
  expect(written).toEqual(['one\nurgent\n']);
});

it('keeps at most 64 kB', () => {
  output.add('x'.repeat(70_000), false);
  expect(written).toHaveLength(1);
});

it('loses none when the process ends, also by an exception', () => {
  const module = JSON.stringify(new URL('line-output.ts', import.meta.url).href);
  const script = `const { LineOutput } = await import(${module}); new LineOutput().add('one\\n', false); throw new Error();`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  expect(stdout).toBe('one\n');
});
