#!/usr/bin/env node
import { keepCompiled } from './compile-cache.ts';

keepCompiled();

const { program } = await import('./program.ts');
await program({
  program: process.argv[1] ?? '',
  env: process.env,
  // Opened when it is asked for: whoever does not type is not to hold a terminal.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
}).parseAsync(process.argv);
