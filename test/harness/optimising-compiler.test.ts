import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { imageNodeOptions } from './container-image.ts';

/** Whether V8 optimises a function that a process with the image's options has called 10,000 times. */
function isOptimised(before: string): boolean {
  const module = JSON.stringify(new URL('../../cli/optimising-compiler.ts', import.meta.url).href);
  const script = `
    const { optimiseAsByDefault } = await import(${module});
    ${before}
    function hot(left) { if (left > 0) setImmediate(hot, left - 1); }
    hot(10_000);
  `;
  const args = [...imageNodeOptions(), '--trace-opt', '--input-type=module', '--eval', script];
  return /marking .*\bhot\b.*TURBOFAN/.test(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

it('the optimising compiler is put off only until the start of a process takes that back', () => {
  expect(isOptimised('')).toBe(false);
  expect(isOptimised('optimiseAsByDefault();')).toBe(true);
});
