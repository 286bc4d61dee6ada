import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { imageNodeOptions } from './container-image.ts';

const MODULE = JSON.stringify(new URL('../../cli/optimising-compiler.ts', import.meta.url).href);

/** What V8 says of the function `hot` of a script that runs with the image's options and `options`. */
function traceOf(script: string, ...options: string[]): string {
  const head = `const { keepOptimisedSoon, optimiseAsByDefault } = await import(${MODULE});`;
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

/** Has a function optimised that makes objects, drops them, and then makes garbage for several full collections. */
const COLLECTIONS = `
  class Visitor { constructor(number) { this.number = number; this.next = undefined; } }
  let visitor, garbage;
  function hot(number) { visitor = new Visitor(number); }
  function visit(left) {
    for (let i = 0; i < 100; i += 1) hot(i);
    if (left > 0) return setImmediate(visit, left - 1);
    visitor = undefined;
    collect(20);
  }
  function collect(left) {
    garbage = Array.from({ length: 20_000 }, (_, i) => [i]);
    if (left > 0) setImmediate(collect, left - 1);
  }
  visit(300);
`;

it('optimised code outlives the objects that it makes once the start of an agent is over', () => {
  // Compiled at once, so that it is there before the collections.
  const options = ['--no-concurrent-recompilation', '--trace-opt', '--trace-deopt'];
  const discarded = /for deoptimization, reason: embedded weak objects cleared/;
  expect(traceOf(`optimiseAsByDefault(); ${COLLECTIONS}`, ...options)).toMatch(discarded);
  const kept = traceOf(`optimiseAsByDefault(); keepOptimisedSoon(0); ${COLLECTIONS}`, ...options);
  expect(kept).toMatch(/completed compiling .*TURBOFAN/);
  expect(kept).not.toMatch(discarded);
});
