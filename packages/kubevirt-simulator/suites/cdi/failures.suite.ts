import { afterAll, describe, expect, it } from 'vitest';
import { CONFIG_MAPS } from '@groundcrew/controller-runtime';
import { CLAIMS } from '../../cdi/index.ts';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { conditionOf, DataVolumes } from '../../../../test/harness/scenes/data-volumes.ts';
import { startFileServer } from '../../../../test/harness/scenes/file-server.ts';

const { client, namespace, standIns } = await cluster();
const times = { timeout: 1_000, backOff: 400, maxBackOff: 800 };
await standIns({ parts: ['cdi'], cdi: { progressInterval: 25, times } });
const volumes = new DataVolumes(client, await namespace());

const image = Buffer.alloc(300_000, 'groundcrew');
const server = await startFileServer(image, {
  '/missing.iso': (_request, response) => {
    response.writeHead(404).end();
  },
  '/truncated.iso': (_request, response) => {
    response.writeHead(200, { 'content-length': image.length });
    response.write(image.subarray(0, 1000), () => response.destroy());
  },
  '/stalled.iso': (_request, response) => {
    response.writeHead(200, { 'content-length': image.length });
    response.write(image.subarray(0, 1000));
  },
  '/round.iso': (_request, response) => {
    response.writeHead(302, { location: '/round.iso' }).end();
  },
});
const tls = await startFileServer(image, {}, {});
const otherName = await startFileServer(image, {}, { address: '127.0.0.2' });

/** A port without a listener. */
const closedPort = 1;

for (const [name, ca] of [
  ['another-ca', tls.ca],
  ['other-name', otherName.ca],
] as const) {
  await client.create(CONFIG_MAPS, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: volumes.namespace, name },
    data: { 'ca.pem': ca ?? '' },
  });
}

describe('a failed import', () => {
  it.each([
    ['missing', { url: `${server.url}/missing.iso` }, 'answered 404'],
    ['truncated', { url: `${server.url}/truncated.iso` }, 'The download was interrupted'],
    ['stalled', { url: `${server.url}/stalled.iso` }, 'The download was interrupted: no data'],
    ['unknown-ca', { url: `${tls.url}/a.iso` }, 'x509 certificate is not trusted'],
    ['wrong-ca', { url: `${otherName.url}/a.iso`, certConfigMap: 'another-ca' }, 'x509 certificate is not trusted'],
    ['wrong-name', { url: `${otherName.url}/a.iso`, certConfigMap: 'other-name' }, 'x509 certificate is not trusted'],
    ['unreachable', { url: `http://127.0.0.1:${closedPort}/a.iso` }, 'cannot be reached'],
    ['endless', { url: `${server.url}/round.iso` }, 'redirects more than 10 times'],
  ])('has a message: %s', async (name, http, message) => {
    await volumes.import(name, { http });
    const dv = await volumes.untilFailure(name, message);
    // Every failure is repeated, so the phase is not Failed.
    expect(dv.status?.phase).toBe('ImportInProgress');
    expect(conditionOf(dv, 'Ready')?.status).toBe('False');
    await volumes.delete(name);
  });

  it('has a message about a volume that is too small', async () => {
    await volumes.import('small', { http: { url: `${server.url}/small.iso` } }, { size: '100Ki' });
    await volumes.untilFailure('small', 'larger PVC');
  });
});

describe('a DataVolume without a claim', () => {
  it('has an invalid size', async () => {
    await volumes.import('sizeless', { blank: {} }, { size: '0' });
    const dv = await volumes.until('sizeless', (seen) => conditionOf(seen, 'Bound') !== undefined);
    expect(dv.status?.phase).toBe('Pending');
    expect(conditionOf(dv, 'Bound')).toMatchObject({ status: 'False', reason: 'ErrClaimNotValid' });
  });

  it('has a source that the simulator does not support', async () => {
    await volumes.import('registry', { registry: { url: 'docker://example/a' } });
    const dv = await volumes.until('registry', ({ status }) => status?.conditions !== undefined);
    expect(dv.status?.conditions?.[0]?.message).toContain('the simulator has no source registry');
  });

  it('does not use the claim of another owner', async () => {
    await client.create(CLAIMS, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace: volumes.namespace, name: 'taken' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
    });
    await volumes.import('taken', { blank: {} });
    await volumes.until('taken', (seen) => conditionOf(seen, 'Bound')?.reason === 'ErrResourceExists');
  });
});

it('a download is aborted when its DataVolume is deleted', async () => {
  const stalling = await startFileServer(image, {
    '/stalled.iso': (_request, response) => {
      response.writeHead(200, { 'content-length': image.length });
      trickle(response);
    },
  });
  await volumes.import('dropped', { http: { url: `${stalling.url}/stalled.iso` } });
  await eventually(() => {
    expect(stalling.connections()).toBe(1);
  });
  await volumes.delete('dropped');
  await eventually(() => {
    expect(stalling.connections()).toBe(0);
  });
  const asked = stalling.requests.length;
  await volumes.import('afterwards', { blank: {} });
  await volumes.until('afterwards', ({ status }) => status?.phase === 'Succeeded');
  expect(stalling.requests).toHaveLength(asked);
});

/** Sends a byte every 20 ms until the connection breaks. */
function trickle(response: NodeJS.WritableStream & { destroyed: boolean }): void {
  const timer = setInterval(() => response.write('x'), 20);
  response.once('close', () => {
    clearInterval(timer);
  });
  afterAll(() => {
    clearInterval(timer);
  });
}
