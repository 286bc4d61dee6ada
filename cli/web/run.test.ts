import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { KubeClient, systemClock } from '@groundcrew/controller-runtime';
import { ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { runWeb } from './run.ts';
import { startWeb } from './start-web.ts';

it('says that the cluster does not answer, and prints no link', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-web-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const kubeconfig = join(folder, 'kubeconfig');
  const named = {
    clusters: [{ name: 'x', cluster: { server: 'http://127.0.0.1:1' } }],
    users: [{ name: 'x', user: {} }],
  };
  const contexts = [{ name: 'x', context: { cluster: 'x', user: 'x' } }];
  writeFileSync(kubeconfig, JSON.stringify({ ...named, contexts, 'current-context': 'x' }));
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const dependencies = { program: '', env: {}, stdin: process.stdin, stdout, stderr };
  expect(await runWeb({ kubeconfig, port: 0 }, dependencies)).toBe(1);
  expect(String(stderr.read())).toMatch(/^The cluster could not be read: .+ECONNREFUSED/);
  expect(stdout.read()).toBeNull();
});

it('says that the port is in use, and how to choose another', async () => {
  const other = createServer();
  await once(other.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void other.close());
  const transport = new ScriptedApi();
  const { port } = other.address() as AddressInfo;
  const started = startWeb({
    ...{ client: new KubeClient({ transport, fieldManager: 'test' }), transport, access: { server: '' }, port },
    ...{ clock: systemClock, random: randomBytes, logger: silentLogger, onLink: () => undefined },
  });
  await expect(started).rejects.toThrow(
    `TCP port 127.0.0.1:${port} is in use by another program. Choose another with --port, or stop that program.`,
  );
});
