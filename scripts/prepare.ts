/** Runs at the end of `npm ci`: compiles what `npm start` loads, so that already the first start is quick. */
import { flushCompileCache } from 'node:module';
import { keepCompiled } from '../src/cli/compile-cache.ts';

keepCompiled();
await Promise.all([
  import('../src/cli/program.ts'),
  import('../src/cli/sandbox/run.ts'),
  import('../src/agent/bmc/main.ts'),
  import('pino'),
  import('pino-pretty'),
]);
flushCompileCache();
