#!/usr/bin/env node
import { plainAgent } from './agent/plain-values.ts';
import { keepCompiled } from './compile-cache.ts';

keepCompiled();
// V8's first compiler works on the main thread. At the end of the process, Node waits for the threads that compile; such a thread may
// wait for a garbage collection, for which the main thread has no time any more: the process would hang (nodejs/node#54918).
process.getBuiltinModule('node:v8').setFlagsFromString('--no-concurrent-sparkplug');

const agent = plainAgent(process.argv.slice(2));
if (agent === undefined) {
  const { program } = await import('./program.ts');
  await program({
    program: process.argv[1] ?? '',
    env: process.env,
    // Opened on first use: a command without input must not keep the terminal open.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
  }).parseAsync(process.argv);
} else {
  const { runAgent } = await import('./agent/run.ts');
  process.exitCode = await runAgent(agent.name, agent.values, process.env, agent.ignored);
}
