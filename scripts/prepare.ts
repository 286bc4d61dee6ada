/** Runs at the end of `npm ci`: compiles the modules that `npm start` loads, so that the first start is fast. */
import { flushCompileCache } from 'node:module';
import { keepCompiled } from '../cli/compile-cache.ts';

keepCompiled();
await Promise.all([
  import('../cli/program.ts'),
  import('../cli/sandbox/run.ts'),
  import('../agent/bmc/main.ts'),
  import('pino'),
  import('pino-pretty'),
]);
flushCompileCache();
