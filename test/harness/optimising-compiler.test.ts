import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { imageNodeOptions } from './container-image.ts';

/** What V8 says of a function that a process with the image's options has called 10,000 times. */
function traceOf(before: string): string {
  const module = JSON.stringify(new URL('../../cli/optimising-compiler.ts', import.meta.url).href);
  const script = `
    const { optimiseAsByDefault } = await import(${module});
    ${before}
    function hot(left) { if (left > 0) setImmediate(hot, left - 1); }
    hot(10_000);
  `;
  const args = [...imageNodeOptions(), '--trace-opt', '--input-type=module', '--eval', script];
  const lines = execFileSync(process.execPath, args, { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes('JSFunction hot ')).join('\n');
}

const OPTIMISED = /marking .*TURBOFAN/;

it('the optimising compiler is put off only until the start of a process takes that back', () => {
  expect(traceOf('')).not.toMatch(OPTIMISED);
  expect(traceOf('optimiseAsByDefault();')).toMatch(OPTIMISED);
});

it('the optimising compiler does not hold the event loop', () => {
  expect(traceOf('optimiseAsByDefault();')).toMatch(/compiling method .*TURBOFAN.*mode: ConcurrencyMode::kConcurrent/);
});
