/**
 * Runs at the end of `npm ci`: builds the web applications and compiles the modules that `npm start` loads, so that the
 * first start is fast.
 */
import { flushCompileCache } from 'node:module';
import { keepCompiled } from '../cli/compile-cache.ts';
import { buildStaleWeb } from './build-web.ts';

keepCompiled();
await Promise.all([
  buildStaleWeb(),
  import('../cli/program.ts'),
  import('../cli/sandbox/run.ts'),
  import('../agent/bmc/main.ts'),
  import('pino'),
  import('pino-pretty'),
]);
flushCompileCache();
