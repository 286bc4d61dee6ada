import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICES, systemClock } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { expect, it } from 'vitest';
import { startCluster } from './cluster.ts';
import { startVirtualMachine } from './example.ts';
import type { BindFailure } from './services/index.ts';

it('an embedded cluster reports a node port that is in use, and the addresses of Services', async () => {
  await using parts = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'groundcrew-cluster-'));
  parts.defer(() => rm(directory, { recursive: true, force: true }));
  const holder = createSocket('udp4');
  await new Promise<void>((resolve) => holder.bind(0, '127.0.0.1', resolve));
  parts.defer(() => {
    holder.close();
  });
  const failures: BindFailure[] = [];
  const cluster = await startCluster({
    apiPort: 0,
    bootTime: 10,
    images: {},
    directory,
    onBindFailure: (failure) => failures.push(failure),
    clock: systemClock,
    random: randomBytes,
    logger: silentLogger,
  });
  parts.defer(() => cluster.close());

  const { port } = holder.address();
  const metadata = { namespace: 'default', name: 'bmc' };
  const ports = [
    { name: 'taken', protocol: 'UDP', port: 623, nodePort: port },
    { name: 'free', protocol: 'UDP', port: 624 },
  ];
  const spec = { type: 'NodePort', selector: { app: 'bmc' }, ports };
  const service = await cluster.client.create(SERVICES, { apiVersion: 'v1', kind: 'Service', metadata, spec });

  await expect.poll(() => failures).toContainEqual(expect.objectContaining({ service: metadata, port }));
  await expect
    .poll(() => cluster.services.addressOf(metadata, 'free'))
    .toEqual({ host: '127.0.0.1', port: service.spec?.ports?.[1]?.nodePort });
});

it('the example starts a VM', async () => {
  expect(await startVirtualMachine(silentLogger)).toBe('Running');
});
