import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { imageNodeOptions } from './container-image.ts';

const MODULE = JSON.stringify(new URL('../../cli/optimising-compiler.ts', import.meta.url).href);

/** What V8 says of the function `hot` of a script that runs with the image's options and `options`. */
function traceOf(script: string, ...options: string[]): string {
  const head = `const { optimiseAsByDefault } = await import(${MODULE});`;
  const args = [...imageNodeOptions(), ...options, '--input-type=module', '--eval', `${head} ${script}`];
  const lines = execFileSync(process.execPath, args, { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => /(?:JSFunction|SharedFunctionInfo) hot\b/.test(line)).join('\n');
}

/** Calls a function 10,000 times. */
const CALLS = `
  function hot(left) { if (left > 0) setImmediate(hot, left - 1); }
  hot(10_000);
`;

const OPTIMISED = /marking .*TURBOFAN/;

it('the optimising compiler is put off only until the start of a process takes that back', () => {
  expect(traceOf(CALLS, '--trace-opt')).not.toMatch(OPTIMISED);
  expect(traceOf(`optimiseAsByDefault(); ${CALLS}`, '--trace-opt')).toMatch(OPTIMISED);
});

it('the optimising compiler does not hold the event loop', () => {
  const trace = traceOf(`optimiseAsByDefault(); ${CALLS}`, '--trace-opt');
  expect(trace).toMatch(/compiling method .*TURBOFAN.*mode: ConcurrencyMode::kConcurrent/);
});
