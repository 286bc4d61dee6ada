import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { ANNOTATIONS } from '../../cdi/annotations.ts';
import { CDI_CONFIGS, CLAIMS, STORAGE_CLASSES, STORAGE_PROFILES } from '../../cdi/objects.ts';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { conditionOf, DataVolumes } from '../../../../test/harness/scenes/data-volumes.ts';
import { startFileServer } from '../../../../test/harness/scenes/file-server.ts';

const { client, namespace, standIns } = await cluster();
let cdi = await standIns({ parts: ['cdi'], cdi: { progressInterval: 25 } });
const volumes = new DataVolumes(client, await namespace());

const image = Buffer.alloc(100_000, 'groundcrew');
const stalled: (() => void)[] = [];
const server = await startFileServer(image, {
  '/stalled.iso': (request, response) => {
    response.writeHead(200, { 'content-length': image.length });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    response.write(image.subarray(0, 1000));
    stalled.push(() => response.end(image.subarray(1000)));
  },
});
const source = { http: { url: `${server.url}/a.iso` } };

/** Classes belong to no namespace, so they have names that nothing else has and go with the file. */
async function storageClass(change: object = {}): Promise<string> {
  const name = `test-${randomBytes(4).toString('hex')}`;
  await client.create(STORAGE_CLASSES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: 'storage.sandbox.kubevirt.io',
    ...change,
  });
  afterAll(async () => {
    await client.delete(STORAGE_CLASSES, { name });
    await client.delete(STORAGE_PROFILES, { name });
  });
  return name;
}

describe('a storage class that waits for a first consumer', () => {
  const storageOf = (storageClassName: string) => ({
    storageClassName,
    resources: { requests: { storage: '1Mi' } },
  });

  it('has its DataVolumes wait', async () => {
    const waiting = await storageClass({ volumeBindingMode: 'WaitForFirstConsumer' });
    await volumes.create('waiting', { source, storage: storageOf(waiting) });
    const dv = await volumes.until('waiting', ({ status }) => status?.phase === 'WaitForFirstConsumer');
    expect(conditionOf(dv, 'Bound')).toMatchObject({
      status: 'False',
      reason: 'Pending',
      message: 'PVC waiting Pending',
    });
    // The scheduler has a pod that uses it, and has found a node for that.
    const annotations = { [ANNOTATIONS.selectedNode]: 'sandbox' };
    await client.patch(CLAIMS, dv.metadata, 'merge', { metadata: { annotations } });
    await volumes.until('waiting', ({ status }) => status?.phase === 'Succeeded');
  });

  it('but not those that ask to be bound at once', async () => {
    const waiting = await storageClass({ volumeBindingMode: 'WaitForFirstConsumer' });
    await volumes.create('at-once', { source, storage: storageOf(waiting) }, { [ANNOTATIONS.bindImmediately]: 'true' });
    await volumes.until('at-once', ({ status }) => status?.phase === 'Succeeded');
  });

  it('is nobody else to bind, where another provisions', async () => {
    const other = await storageClass({ provisioner: 'other.example' });
    await volumes.create('elsewhere', { source, storage: storageOf(other) });
    const dv = await volumes.until('elsewhere', (seen) => conditionOf(seen, 'Bound') !== undefined);
    expect(dv.status?.phase).toBe('Pending');
    expect(conditionOf(dv, 'Bound')).toMatchObject({
      reason: 'ErrClaimNotValid',
      message: `no accessMode specified in StorageProfile ${other}`,
    });
  });

  it('has its own share for the filesystem, where the CDIConfig gives it one', async () => {
    const roomy = await storageClass();
    const config = { name: 'config' };
    const overhead = (share: string | null) => ({ spec: { filesystemOverhead: { storageClass: { [roomy]: share } } } });
    await client.patch(CDI_CONFIGS, config, 'merge', overhead('0.5'));
    await eventually(async () => {
      const { status } = await client.get(CDI_CONFIGS, config);
      expect(status?.filesystemOverhead).toMatchObject({ global: '0.055', storageClass: { [roomy]: '0.5' } });
    });
    await volumes.create('roomy', { source, storage: storageOf(roomy) });
    await volumes.until('roomy', ({ status }) => status?.phase === 'Succeeded');
    expect((await volumes.claim('roomy')).spec?.resources?.requests?.['storage']).toBe(String(2 * 1024 * 1024));
    await client.patch(CDI_CONFIGS, config, 'merge', overhead(null));
  });
});

describe('CDI', () => {
  it('begins anew what it left when it comes back', async () => {
    await volumes.import('resumed', { http: { url: `${server.url}/stalled.iso` } });
    await volumes.until('resumed', ({ status }) => status?.progress === '1.00%');
    await cdi.close();
    await eventually(() => {
      expect(server.connections()).toBe(0);
    });
    cdi = await standIns({ parts: ['cdi'], cdi: { progressInterval: 25 } });
    await eventually(() => {
      expect(stalled).toHaveLength(2);
    });
    stalled.at(-1)?.();
    await volumes.until('resumed', ({ status }) => status?.phase === 'Succeeded');
  });

  it('imports as many at a time as it may', async () => {
    await cdi.close();
    cdi = await standIns({ parts: ['cdi'], cdi: { progressInterval: 25, concurrency: 1 } });
    stalled.length = 0;
    await volumes.import('first', { http: { url: `${server.url}/stalled.iso` } });
    await volumes.until('first', ({ status }) => status?.phase === 'ImportInProgress');
    await volumes.import('second', { http: { url: `${server.url}/b.iso` } });
    await volumes.until('second', ({ status }) => status?.phase === 'ImportScheduled');
    expect(server.requests).not.toContain('GET /b.iso');
    await eventually(() => {
      expect(stalled).toHaveLength(1);
    });
    stalled[0]?.();
    await volumes.until('second', ({ status }) => status?.phase === 'Succeeded');
  });

  it('refuses internal addresses where it is told to, but for those that the CDIConfig lists', async () => {
    await cdi.close();
    const times = { backOff: 100, maxBackOff: 100 };
    cdi = await standIns({ parts: ['cdi'], cdi: { progressInterval: 25, times, blockInternalAddresses: true } });
    const url = `${server.url}/internal.iso`;
    await volumes.import('internal', { http: { url } });
    await volumes.untilFailure(
      'internal',
      `Unable to connect to http data source: ${url} is at 127.0.0.1, an internal address; ` +
        'list the URL in spec.allowedSourceURLs of the CDIConfig to import from it',
    );
    expect(server.requests).not.toContain('GET /internal.iso');
    const allow = (urls: string[] | null) =>
      client.patch(CDI_CONFIGS, { name: 'config' }, 'merge', { spec: { allowedSourceURLs: urls } });
    await allow([server.url]);
    await volumes.until('internal', ({ status }) => status?.phase === 'Succeeded');
    await allow(null);
  });

  it('of an older release has no insecureSkipVerify and no checksum', async () => {
    await cdi.close();
    cdi = await standIns({ parts: ['cdi'], cdi: { version: '1.64' } });
    await eventually(async () => {
      const asked = { url: `${server.url}/a.iso`, insecureSkipVerify: true, checksum: 'sha256:0' };
      const name = `older-${randomBytes(4).toString('hex')}`;
      const dv = await volumes.import(name, { http: asked });
      expect(dv.spec.source?.http).toEqual({ url: asked.url });
    });
    await cdi.close();
    cdi = await standIns({ parts: ['cdi'] });
  });
});
