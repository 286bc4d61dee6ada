import { expect, it } from 'vitest';
import { ProgressLine } from './progress-line.ts';

function screen(isTTY: boolean) {
  const written: string[] = [];
  let now = 0;
  const line = new ProgressLine({ isTTY, columns: 20, write: (text) => written.push(text) }, () => now);
  return { line, written, wait: (ms: number) => (now += ms) };
}

it('a terminal shows one line, which is rewritten and cut to its width', () => {
  const { line, written } = screen(true);
  line.update('one');
  line.update('a line that is longer than twenty columns');
  line.say('done');
  expect(written).toEqual(['\r\u001B[Kone', '\r\u001B[Ka line that is long', '\r\u001B[K', 'done\n']);
});

it('elsewhere a changed line is written every five seconds', () => {
  const { line, written, wait } = screen(false);
  line.update('one');
  line.update('two');
  wait(5_000);
  line.update('one');
  line.update('three');
  line.say('done');
  expect(written).toEqual(['one\n', 'three\n', 'done\n']);
});
