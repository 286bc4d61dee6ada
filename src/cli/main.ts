#!/usr/bin/env node
import { keepCompiled } from './compile-cache.ts';

keepCompiled();

const { program } = await import('./program.ts');
await program({
  program: process.argv[1] ?? '',
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
}).parseAsync(process.argv);
