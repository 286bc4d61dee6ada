import { createSocket, type Socket } from 'node:dgram';
import { startApiServer, type RunningApiServer } from '@groundcrew/apiserver';
import { EVENTS, KubeClient, PODS, SERVICES, systemClock, type Service } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { httpsTransport } from '@groundcrew/controller-runtime/transport-https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServices, type BindFailure, type Services } from './start-services.ts';

const failures: BindFailure[] = [];
let server: RunningApiServer;
let client: KubeClient;
let services: Services;
/** Sockets of the pod, which echoes datagrams, and of other programs. */
const sockets: Socket[] = [];

async function bind(address: string): Promise<Socket> {
  const socket = createSocket('udp4');
  sockets.push(socket);
  await new Promise<void>((resolve) => socket.bind(0, address, resolve));
  return socket;
}

beforeAll(async () => {
  server = await startApiServer({ logger: silentLogger });
  const { server: url, ca, token } = server;
  client = new KubeClient({ transport: httpsTransport({ server: url, ca, token }), fieldManager: 'test' });
  services = await startServices({
    client,
    clock: systemClock,
    logger: silentLogger,
    onBindFailure: (failure) => failures.push(failure),
  });
  const pod = await bind('127.0.0.1');
  pod.on('message', (message, { address, port }) => {
    pod.send(message, port, address);
  });
  const ref = { namespace: 'default', name: 'echo' };
  const ports = [{ name: 'ipmi', containerPort: pod.address().port, protocol: 'UDP' }];
  await client.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...ref, labels: { app: 'echo' } },
    spec: { containers: [{ name: 'c', image: 'i', ports }] },
  });
  const status = { podIP: '127.0.0.1', conditions: [{ type: 'Ready', status: 'True' }] };
  await client.patch(PODS, ref, 'merge', { status }, { subresource: 'status' });
});
afterAll(async () => {
  await services.close();
  await client.close();
  await server.close();
  for (const socket of sockets) socket.close();
});

async function serve(name: string, spec: NonNullable<Service['spec']>): Promise<Service> {
  return await client.create(SERVICES, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'default', name },
    spec: { selector: { app: 'echo' }, ...spec },
  });
}

const where = (name: string, port = 'ipmi'): ReturnType<Services['addressOf']> =>
  services.addressOf({ namespace: 'default', name }, port);

/** Sends until an answer comes: the proxy may see the pod after the Service. */
async function answers(at: { host: string; port: number } | undefined): Promise<boolean> {
  const socket = await bind('127.0.0.1');
  const answered = new Promise<boolean>((resolve) =>
    socket.once('message', () => {
      resolve(true);
    }),
  );
  for (let tries = 0; tries < 50; tries += 1) {
    socket.send('hello', at?.port ?? 1, at?.host);
    const soon = new Promise<boolean>((resolve) => setTimeout(resolve, 100, false));
    if (await Promise.race([answered, soon])) return true;
  }
  return false;
}

const PORT = { name: 'ipmi', protocol: 'UDP', port: 10_623, targetPort: 'ipmi' };

describe('the address of a port of a Service', () => {
  it('is its node port', async () => {
    const service = await serve('node', { type: 'NodePort', ports: [PORT] });
    const nodePort = service.spec?.ports?.[0]?.nodePort;
    await expect.poll(() => where('node')).toEqual({ host: '127.0.0.1', port: nodePort });
    expect(await answers(where('node'))).toBe(true);
  });

  it('is its cluster address without a node port', async () => {
    const service = await serve('cluster', { ports: [PORT] });
    await expect.poll(() => where('cluster')).toEqual({ host: service.spec?.clusterIP, port: 10_623 });
    expect(await answers(where('cluster'))).toBe(true);
  });

  it('is a free loopback port, named in an Event, if the cluster address cannot be bound', async () => {
    // A port in use fails for every user; port 623 fails only without root.
    await serve('elsewhere', { clusterIP: '127.96.9.9', ports: [{ ...PORT, port: await heldOn('127.96.9.9') }] });
    await expect.poll(() => where('elsewhere')).toMatchObject({ host: '127.0.0.1' });
    const at = where('elsewhere');
    expect(await answers(at)).toBe(true);
    await expect
      .poll(async () => (await client.list(EVENTS, { namespace: 'default' })).items.map(({ message }) => message))
      .toContainEqual(expect.stringContaining(`ipmi is reached at 127.0.0.1:${at?.port ?? 0}:`));
    // It is kept at the next reconcile.
    await client.patch(SERVICES, { namespace: 'default', name: 'elsewhere' }, 'merge', {
      metadata: { labels: { touched: 'yes' } },
    });
    expect(await answers(at)).toBe(true);
    expect(where('elsewhere')).toEqual(at);
  });

  it('is undefined while another program has its node port, and the caller is notified', async () => {
    const nodePort = await heldOn('127.0.0.1');
    await serve('taken', { type: 'NodePort', clusterIP: '127.96.9.10', ports: [{ ...PORT, nodePort }] });
    await expect
      .poll(() => failures)
      .toContainEqual({
        service: { namespace: 'default', name: 'taken' },
        protocol: 'UDP',
        address: '127.0.0.1',
        port: nodePort,
        code: 'EADDRINUSE',
      });
    expect(where('taken')).not.toEqual({ host: '127.0.0.1', port: nodePort });
  });

  it('is undefined for an unknown port and for an unknown or deleted Service', async () => {
    expect([where('node', 'none'), where('none')]).toEqual([undefined, undefined]);
    await client.delete(SERVICES, { namespace: 'default', name: 'node' });
    await expect.poll(() => where('node')).toBeUndefined();
  });
});

/** A port of the address that another socket uses. */
async function heldOn(address: string): Promise<number> {
  return (await bind(address)).address().port;
}
