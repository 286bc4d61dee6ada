#!/usr/bin/env node
import { plainAgent } from './agent/plain-values.ts';
import { keepCompiled } from './compile-cache.ts';
import { compileSoThatItEnds, optimiseAsByDefault } from './optimising-compiler.ts';

keepCompiled();
compileSoThatItEnds();

const agent = plainAgent(process.argv.slice(2));
if (agent === undefined) {
  optimiseAsByDefault();
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
