import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { aborted } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { inClusterConfig } from './in-cluster-config.ts';
import { runProcess } from './run-process.ts';

it.each(['SIGTERM', 'SIGINT'] as const)('exits with 0 at %s, and leaves no listener', async (signal) => {
  const listeners = process.listenerCount(signal);
  const ended = runProcess({ logger: silentLogger, env: {} }, aborted);
  process.emit(signal);
  expect(await ended).toBe(0);
  expect(process.listenerCount(signal)).toBe(listeners);
});

it('exits with 1 and logs the error if it cannot run', async () => {
  const lines: unknown[] = [];
  const logger = { ...silentLogger, error: (fields: object) => lines.push(fields) };
  const failure = new Error('the port is taken');
  expect(await runProcess({ logger, env: {} }, () => Promise.reject(failure))).toBe(1);
  expect(lines).toEqual([{ err: failure }]);
});

it('reads the address of the API server and the service account of its Pod', () => {
  const folder = mkdtempSync(join(tmpdir(), 'service-account-'));
  for (const file of ['token', 'ca.crt', 'namespace']) writeFileSync(join(folder, file), `the ${file}\n`);
  const config = inClusterConfig({
    KUBERNETES_SERVICE_HOST: '10.96.0.1',
    KUBERNETES_SERVICE_PORT: '443',
    GROUNDCREW_SERVICEACCOUNT_DIR: folder,
  });
  rmSync(folder, { recursive: true });
  expect(config).toMatchObject({ server: 'https://10.96.0.1:443', namespace: 'the namespace' });
});

it('throws an error outside of a Pod', () => {
  expect(() => inClusterConfig({})).toThrow('an agent runs only in a Pod of the manager');
});
