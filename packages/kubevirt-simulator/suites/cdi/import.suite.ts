import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, SECRETS } from '@groundcrew/controller-runtime';
import { CLAIMS } from '../../cdi/objects.ts';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { conditionOf, DataVolumes } from '../../../../test/harness/scenes/data-volumes.ts';
import { startFileServer } from '../../../../test/harness/scenes/file-server.ts';

const { client, namespace, standIns } = await cluster();
await standIns({ parts: ['cdi'], cdi: { progressInterval: 25 } });
const volumes = new DataVolumes(client, await namespace());

const MEBIBYTE = 1024 * 1024;
const image = Buffer.alloc(300_000, 'groundcrew');
const sha256 = createHash('sha256').update(image).digest('hex');

/** Serves half of the image and then waits until it is told to go on. */
let goOn: () => void = () => undefined;
const waiting = new Promise<void>((resolve) => {
  goOn = resolve;
});
const server = await startFileServer(image, {
  '/slow.iso': (request, response) => {
    response.writeHead(200, { 'content-length': image.length });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    response.write(image.subarray(0, image.length / 2));
    void waiting.then(() => response.end(image.subarray(image.length / 2)));
  },
  '/moved.iso': (_request, response) => {
    response.writeHead(302, { location: '/here.iso' }).end();
  },
  '/private.iso': (request, response) => {
    const { authorization } = request.headers;
    if (authorization !== `Basic ${Buffer.from('maker:secret').toString('base64')}`) response.writeHead(401).end();
    else response.writeHead(302, { location: '/private-file.iso' }).end();
  },
  '/private-file.iso': (request, response) => {
    if (request.headers.authorization === undefined) response.writeHead(401).end();
    else response.end(image);
  },
  '/headers.iso': (request, response) => {
    const { 'x-maker': maker, 'x-token': token } = request.headers;
    if (maker === 'groundcrew' && token === 'abc') response.end(image);
    else response.writeHead(403).end();
  },
  '/no-head.iso': (request, response) => {
    if (request.method === 'HEAD') response.writeHead(405).end();
    else response.end(image);
  },
  '/image.gz': (_request, response) => {
    response.end(gzipSync(image));
  },
});
const tls = await startFileServer(image, {}, {});

describe('a DataVolume with a URL', () => {
  it('has a claim of its name that is filled from there', async () => {
    await volumes.import('plain', { http: { url: `${server.url}/plain.iso` } });
    const dv = await volumes.until('plain', ({ status }) => status?.phase === 'Succeeded');
    expect(dv.status).toMatchObject({ claimName: 'plain', progress: '100.0%' });
    expect(dv.status).not.toHaveProperty('restartCount');
    const stated = dv.status?.conditions?.map(({ type, status, reason, message }) => [type, status, reason, message]);
    expect(stated).toEqual([
      ['Bound', 'True', 'Bound', 'PVC plain Bound'],
      ['Ready', 'True', undefined, undefined],
      ['Running', 'False', 'Completed', 'Import Complete'],
    ]);
    const { metadata, spec, status } = await volumes.claim('plain');
    expect(metadata.ownerReferences).toEqual([
      expect.objectContaining({ kind: 'DataVolume', name: 'plain', uid: dv.metadata.uid, controller: true }),
    ]);
    expect(metadata.labels).toMatchObject({ app: 'containerized-data-importer' });
    expect(metadata.annotations).toMatchObject({
      'cdi.kubevirt.io/storage.import.source': 'http',
      'cdi.kubevirt.io/storage.import.endpoint': `${server.url}/plain.iso`,
      'cdi.kubevirt.io/storage.pod.phase': 'Succeeded',
      'sandbox.cdi.kubevirt.io/imported-bytes': String(image.length),
      'sandbox.cdi.kubevirt.io/imported-sha256': sha256,
    });
    expect(spec).toMatchObject({
      storageClassName: 'sandbox',
      volumeMode: 'Filesystem',
      accessModes: ['ReadWriteMany'],
    });
    expect(status?.phase).toBe('Bound');
    expect(server.requests).toContain('HEAD /plain.iso');
    expect(server.requests).toContain('GET /plain.iso');
  });

  it('tells its phases and its progress', async () => {
    await volumes.import('slow', { http: { url: `${server.url}/slow.iso` } });
    const half = await volumes.until('slow', ({ status }) => status?.progress === '50.00%');
    expect(half.status?.phase).toBe('ImportInProgress');
    expect(conditionOf(half, 'Running')).toMatchObject({ status: 'True', reason: 'Pod is running' });
    expect(conditionOf(half, 'Ready')).toMatchObject({ status: 'False', reason: 'TransferRunning' });
    goOn();
    await volumes.until('slow', ({ status }) => status?.phase === 'Succeeded');
    await eventually(async () => {
      const events = await volumes.events('DataVolume', 'slow');
      expect(events).toContain('Normal Bound PVC slow Bound');
      expect(events).toContain('Normal ImportInProgress Import into slow in progress');
      expect(events).toContain('Normal ImportSucceeded Successfully imported into PVC slow');
      expect(await volumes.events('PersistentVolumeClaim', 'slow')).toEqual([
        'Normal ImportSucceeded Import Successful',
      ]);
    });
  });

  it('gets room for the filesystem, where it asks for storage', async () => {
    const dv = await volumes.import('room', { http: { url: `${server.url}/room.iso` } }, { size: '100Mi' });
    await volumes.until('room', ({ status }) => status?.phase === 'Succeeded');
    const { spec } = await volumes.claim(dv.metadata.name);
    const required = Math.ceil((100 * MEBIBYTE) / (1 - 0.055));
    expect(spec?.resources?.requests?.['storage']).toBe(String(required));
  });

  it('gets what it asks for, where it asks for a claim', async () => {
    const pvc = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Mi' } } };
    await volumes.import('exact', { http: { url: `${server.url}/exact.iso` } }, { pvc });
    await volumes.until('exact', ({ status }) => status?.phase === 'Succeeded');
    const { spec, status } = await volumes.claim('exact');
    expect(spec).toMatchObject({ ...pvc, storageClassName: 'sandbox' });
    expect(status).toMatchObject({ phase: 'Bound', capacity: { storage: '2Mi' }, accessModes: ['ReadWriteOnce'] });
  });

  it.each(['moved.iso', 'no-head.iso', 'image.gz'])('follows to, and reads, /%s', async (path) => {
    const name = path.replace('.', '-');
    await volumes.import(name, { http: { url: `${server.url}/${path}` } });
    await volumes.until(name, ({ status }) => status?.phase === 'Succeeded');
  });

  it('shows a user name and a password, also where it is redirected', async () => {
    await client.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: volumes.namespace, name: 'maker' },
      data: { accessKeyId: base64('maker'), secretKey: base64('secret') },
    });
    await volumes.import('private', { http: { url: `${server.url}/private.iso`, secretRef: 'maker' } });
    await volumes.until('private', ({ status }) => status?.phase === 'Succeeded');
  });

  it('sends headers of its own, and of Secrets', async () => {
    await client.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: volumes.namespace, name: 'token' },
      data: { header: base64('X-Token: abc') },
    });
    const headers = { extraHeaders: ['X-Maker: groundcrew'], secretExtraHeaders: ['token'] };
    await volumes.import('headers', { http: { url: `${server.url}/headers.iso`, ...headers } });
    await volumes.until('headers', ({ status }) => status?.phase === 'Succeeded');
  });

  it('trusts the authorities of a ConfigMap', async () => {
    await client.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: volumes.namespace, name: 'ca' },
      data: { 'ca.pem': tls.ca ?? '' },
    });
    await volumes.import('trusted', { http: { url: `${tls.url}/a.iso`, certConfigMap: 'ca' } });
    await volumes.until('trusted', ({ status }) => status?.phase === 'Succeeded');
  });

  it('takes any certificate where it is told to', async () => {
    await volumes.import('insecure', { http: { url: `${tls.url}/b.iso`, insecureSkipVerify: true } });
    await volumes.until('insecure', ({ status }) => status?.phase === 'Succeeded');
  });

  it('verifies a checksum', async () => {
    await volumes.import('checked', { http: { url: `${server.url}/checked.iso`, checksum: `sha256:${sha256}` } });
    await volumes.until('checked', ({ status }) => status?.phase === 'Succeeded');
  });
});

describe('a DataVolume', () => {
  it('is blank where it says so', async () => {
    await volumes.import('blank', { blank: {} });
    const dv = await volumes.until('blank', ({ status }) => status?.phase === 'Succeeded');
    expect(dv.status?.progress).toBe('100.0%');
  });

  it.each([
    ['registry', { registry: { url: 'docker://quay.io/containerdisks/fedora' } }],
    ['upload', { upload: {} }],
  ])('that imports from %s says that the stand-in does not', async (name, source) => {
    await volumes.import(name, source);
    const dv = await volumes.until(name, (seen) => conditionOf(seen, 'Bound') !== undefined);
    expect(dv.status?.phase).toBe('Pending');
    expect(conditionOf(dv, 'Bound')).toMatchObject({
      status: 'False',
      reason: 'NotSupported',
      message: `the CDI stand-in has no spec.source.${name}; it has spec.source.http and spec.source.blank`,
    });
  });

  it('takes its claim with it', async () => {
    await volumes.import('going', { blank: {} });
    await volumes.until('going', ({ status }) => status?.phase === 'Succeeded');
    await volumes.delete('going');
    // A garbage collector learns of new kinds every half a minute.
    await eventually(
      async () => {
        const claim = await client.find(CLAIMS, { namespace: volumes.namespace, name: 'going' });
        if (claim !== undefined) throw new Error('its claim is still there');
      },
      { timeout: 90_000, interval: 200 },
    );
  }, 120_000);
});

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
