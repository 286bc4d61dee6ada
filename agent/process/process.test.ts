import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { aborted } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { inClusterConfig } from './in-cluster-config.ts';
import { runProcess } from './run-process.ts';

it.each(['SIGTERM', 'SIGINT'] as const)('ends well at %s, and leaves no listener behind', async (signal) => {
  const listeners = process.listenerCount(signal);
  const ended = runProcess({ logger: silentLogger, env: {} }, aborted);
  process.emit(signal);
  expect(await ended).toBe(0);
  expect(process.listenerCount(signal)).toBe(listeners);
});

it('ends with 1, and says why, where it cannot run', async () => {
  const lines: unknown[] = [];
  const logger = { ...silentLogger, error: (fields: object) => lines.push(fields) };
  const failure = new Error('the port is taken');
  expect(await runProcess({ logger, env: {} }, () => Promise.reject(failure))).toBe(1);
  expect(lines).toEqual([{ err: failure }]);
});

it('knows the API server from what kubelet gives a container', () => {
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

it('says that an agent runs in a Pod', () => {
  expect(() => inClusterConfig({})).toThrow('an agent runs in a Pod, which the manager makes');
});
