import { afterAll, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, SECRETS } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { conditionOf, DataVolumes } from '../../../../test/harness/scenes/data-volumes.ts';
import { startFileServer } from '../../../../test/harness/scenes/file-server.ts';

const { client, namespace, standIns } = await cluster();
const times = { connectTimeout: 5_000, idleTimeout: 1_000, backOff: 400, maxBackOff: 800 };
await standIns({ parts: ['cdi'], cdi: { progressInterval: 25, times } });
const volumes = new DataVolumes(client, await namespace());

const image = Buffer.alloc(300_000, 'groundcrew');
let refusals = 0;
const server = await startFileServer(image, {
  '/missing.iso': (_request, response) => {
    response.writeHead(404).end();
  },
  '/flaky.iso': (_request, response) => {
    refusals += 1;
    // Both requests of the first three attempts.
    if (refusals <= 6) response.writeHead(503).end();
    else response.end(image);
  },
  '/truncated.iso': (request, response) => {
    response.writeHead(200, { 'content-length': image.length });
    if (request.method === 'HEAD') response.end();
    else response.write(image.subarray(0, 1000), () => response.destroy());
  },
  '/stalled.iso': (request, response) => {
    response.writeHead(200, { 'content-length': image.length });
    if (request.method === 'HEAD') response.end();
    else response.write(image.subarray(0, 1000));
  },
  '/round.iso': (_request, response) => {
    response.writeHead(302, { location: '/round.iso' }).end();
  },
  '/ftp.iso': (_request, response) => {
    response.writeHead(302, { location: 'ftp://127.0.0.1/a.iso' }).end();
  },
  '/image.xz': (_request, response) => {
    response.end(Buffer.concat([Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]), Buffer.alloc(100)]));
  },
});
const tls = await startFileServer(image, {}, {});
const otherName = await startFileServer(image, {}, { address: '127.0.0.2' });

/** A port that nobody listens on. */
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

describe('an import that fails', () => {
  const connecting = 'Unable to connect to http data source: ';
  const erring = (url: string, why: string): string => `${connecting}HTTP request errored: Get "${url}": ${why}`;
  const transfer = 'Unable to process data: Unable to transfer source data to scratch space: unable to write to file: ';
  const convert = 'Unable to process data: Unable to convert source data to target format: ';
  const x509 = 'tls: failed to verify certificate: x509: ';

  it.each([
    [
      'missing',
      { url: `${server.url}/missing.iso` },
      `${connecting}expected status code 200, got 404. Status: 404 Not Found`,
    ],
    ['truncated', { url: `${server.url}/truncated.iso` }, `${transfer}unexpected EOF`],
    ['stalled', { url: `${server.url}/stalled.iso` }, `${transfer}context canceled`],
    [
      'unknown-ca',
      { url: `${tls.url}/a.iso` },
      erring(`${tls.url}/a.iso`, `${x509}certificate signed by unknown authority`),
    ],
    [
      'wrong-ca',
      { url: `${otherName.url}/a.iso`, certConfigMap: 'another-ca' },
      erring(`${otherName.url}/a.iso`, `${x509}certificate signed by unknown authority`),
    ],
    [
      'wrong-name',
      { url: `${otherName.url}/a.iso`, certConfigMap: 'other-name' },
      erring(`${otherName.url}/a.iso`, `${x509}certificate is valid for 127.0.0.2, not 127.0.0.1`),
    ],
    [
      'plain-tls',
      { url: server.url.replace('http:', 'https:') },
      erring(`${server.url.replace('http:', 'https:')}/`, 'http: server gave HTTP response to HTTPS client'),
    ],
    [
      'refused',
      { url: `http://127.0.0.1:${closedPort}/a.iso` },
      erring(`http://127.0.0.1:${closedPort}/a.iso`, `dial tcp 127.0.0.1:${closedPort}: connect: connection refused`),
    ],
    ['endless', { url: `${server.url}/round.iso` }, erring(`${server.url}/round.iso`, 'stopped after 10 redirects')],
    ['ftp', { url: `${server.url}/ftp.iso` }, erring('ftp://127.0.0.1/a.iso', 'unsupported protocol scheme "ftp"')],
    ['xz', { url: `${server.url}/image.xz` }, `${convert}the CDI stand-in reads raw, qcow2 and gzip images, and no xz`],
    [
      'other-checksum',
      { url: `${server.url}/a.iso`, checksum: `md5:${'0'.repeat(32)}` },
      `${transfer}checksum mismatch: expected md5:${'0'.repeat(32)}, calculated md5:`,
    ],
  ])('says why: %s', async (name, http, message) => {
    await volumes.import(name, { http });
    const dv = await volumes.untilFailure(name, message);
    // Whatever goes wrong is tried again, so the phase does not say that it failed.
    expect(dv.status?.phase).toBe('ImportInProgress');
    expect(conditionOf(dv, 'Ready')?.status).toBe('False');
    await volumes.delete(name);
  });

  it('says that the volume is too small, and in an event by how much', async () => {
    const pvc = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } };
    await volumes.import('small', { http: { url: `${server.url}/small.iso` } }, { pvc });
    await volumes.untilFailure('small', 'DataVolume too small to contain image');
    const why = 'virtual image size 300000 is larger than the reported available storage 0. A larger PVC is required';
    await eventually(async () => {
      const events = await volumes.events('PersistentVolumeClaim', 'small');
      expect(events).toContain(`Warning ErrImportFailed ${convert}${why}`);
      expect(await volumes.events('DataVolume', 'small')).toContain(
        'Warning Error DataVolume too small to contain image',
      );
    });
  });

  it('is repeated until it succeeds, and counted', async () => {
    await volumes.import('flaky', { http: { url: `${server.url}/flaky.iso` } });
    const dv = await volumes.until('flaky', ({ status }) => status?.phase === 'Succeeded');
    // A slow machine may add failures of its own.
    expect(dv.status?.restartCount).toBeGreaterThanOrEqual(3);
  });

  it('waits for a Secret that is not there', async () => {
    await volumes.import('patient', { http: { url: `${server.url}/a.iso`, secretRef: 'later' } });
    const dv = await volumes.until(
      'patient',
      (seen) => conditionOf(seen, 'Running')?.reason === 'CreateContainerConfigError',
    );
    expect(dv.status?.phase).toBe('ImportScheduled');
    expect(conditionOf(dv, 'Running')?.message).toBe('secret "later" not found');
    await client.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: volumes.namespace, name: 'later' },
    });
    await volumes.until('patient', ({ status }) => status?.phase === 'Succeeded');
  });
});

describe('a download that is under way', () => {
  it('is broken off when its DataVolume goes', async () => {
    const stalling = await startFileServer(image, {
      '/stalled.iso': (request, response) => {
        response.writeHead(200, { 'content-length': image.length });
        if (request.method === 'HEAD') response.end();
        else trickle(response);
      },
    });
    await volumes.import('dropped', { http: { url: `${stalling.url}/stalled.iso` } });
    await eventually(() => {
      expect(stalling.requests).toContain('GET /stalled.iso');
      expect(stalling.connections()).toBe(1);
    });
    await volumes.delete('dropped');
    await eventually(() => {
      expect(stalling.connections()).toBe(0);
    });
    // Nobody asks again.
    const asked = stalling.requests.length;
    await volumes.import('afterwards', { blank: {} });
    await volumes.until('afterwards', ({ status }) => status?.phase === 'Succeeded');
    expect(stalling.requests).toHaveLength(asked);
  });
});

/** Never long without a byte, and never done: until the connection breaks. */
function trickle(response: NodeJS.WritableStream & { destroyed: boolean }): void {
  const timer = setInterval(() => response.write('x'), 20);
  response.once('close', () => {
    clearInterval(timer);
  });
  afterAll(() => {
    clearInterval(timer);
  });
}
