import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KubeClient, SECRETS, systemClock } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { httpsTransport } from '@groundcrew/controller-runtime/transport-https';
import { startApiServer, type RunningApiServer } from '@groundcrew/apiserver';
import { CLAIMS, DATA_VOLUMES, type DataVolume, type DataVolumeSpec } from './objects.ts';
import { startCdi, type Cdi } from './start-cdi.ts';

let server: RunningApiServer;
let client: KubeClient;
let cdi: Cdi;
let files: Server;
let url: string;

const clientOf = (fieldManager: string): KubeClient => {
  const { server: address, ca, token } = server;
  return new KubeClient({ transport: httpsTransport({ server: address, ca, token }), fieldManager });
};
const start = (): Promise<Cdi> =>
  startCdi({
    client: clientOf('cdi-controller'),
    clock: systemClock,
    logger: silentLogger,
    progressInterval: 20,
    times: { backOff: 20, maxBackOff: 20 },
  });

beforeAll(async () => {
  server = await startApiServer({ logger: silentLogger });
  client = clientOf('test');
  files = createServer((request, response) => {
    if (request.url === '/missing.iso') response.writeHead(404).end();
    else if (request.url !== '/private.iso' || request.headers.authorization === `Basic ${btoa('u:p')}`)
      response.end('iso');
    else response.writeHead(401).end();
  });
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  cdi = await start();
});
afterAll(async () => {
  await cdi.close();
  files.close();
  await client.close();
  await server.close();
});

async function create(name: string, spec: DataVolumeSpec): Promise<void> {
  await client.create(DATA_VOLUMES, {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name, namespace: 'default' },
    spec: { storage: { resources: { requests: { storage: '1Mi' } } }, ...spec },
  });
}

async function until(name: string, wanted: (dv: DataVolume) => boolean): Promise<DataVolume> {
  for (let polls = 0; polls < 400; polls += 1) {
    const dv = await client.get(DATA_VOLUMES, { namespace: 'default', name });
    if (wanted(dv)) return dv;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(
    `it stays ${JSON.stringify((await client.get(DATA_VOLUMES, { namespace: 'default', name })).status)}`,
  );
}

const isFull = ({ status }: DataVolume): boolean => status?.phase === 'Succeeded';
const runningOf = ({ status }: DataVolume) => status?.conditions?.find(({ type }) => type === 'Running');

describe('CDI', () => {
  it('imports DataVolumes', async () => {
    await create('plain', { source: { http: { url: `${url}/a.iso` } } });
    await until('plain', isFull);
    const claim = await client.get(CLAIMS, { namespace: 'default', name: 'plain' });
    expect(claim.status?.phase).toBe('Bound');
    await create('blank', { source: { blank: {} } });
    await until('blank', isFull);
  });

  it('waits for the Secret with the credentials', async () => {
    await create('private', {
      source: { http: { url: `${url}/private.iso`, secretRef: 'maker' } },
    });
    await until('private', (dv) => runningOf(dv)?.reason === 'CreateContainerConfigError');
    await client.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'default', name: 'maker' },
      data: { accessKeyId: btoa('u'), secretKey: btoa('p') },
    });
    await until('private', isFull);
  });

  it('reports and repeats a failed import, also after a restart', async () => {
    await create('missing', { source: { http: { url: `${url}/missing.iso` } } });
    const failed = await until('missing', (dv) => runningOf(dv)?.reason === 'Error');
    expect(runningOf(failed)?.message).toContain('answered 404');
    await cdi.close();
    cdi = await start();
    await until('missing', (dv) => (dv.status?.restartCount ?? 0) > (failed.status?.restartCount ?? 0) + 1);
    await client.delete(DATA_VOLUMES, { namespace: 'default', name: 'missing' });
  });

  it('rejects other sources', async () => {
    await create('registry', { source: { registry: { url: 'docker://example/a' } } });
    const dv = await until('registry', ({ status }) => status?.conditions !== undefined);
    expect(dv.status?.conditions?.[0]?.message).toContain('the simulator has no source registry');
  });
});
