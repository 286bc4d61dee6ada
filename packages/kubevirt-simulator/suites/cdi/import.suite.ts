import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, SECRETS } from '@groundcrew/controller-runtime';
import { CLAIMS } from '../../cdi/index.ts';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { conditionOf, DataVolumes } from '../../../../test/harness/scenes/data-volumes.ts';
import { startFileServer } from '../../../../test/harness/scenes/file-server.ts';

const { client, http, namespace, standIns } = await cluster();
let cdi = await standIns({ parts: ['cdi'], cdi: { progressInterval: 25 } });
const volumes = new DataVolumes(client, await namespace());

const image = Buffer.alloc(300_000, 'groundcrew');
/** Send the second halves of responses. */
const rests: (() => void)[] = [];
const server = await startFileServer(image, {
  '/slow.iso': (_request, response) => {
    response.writeHead(200, { 'content-length': image.length });
    response.write(image.subarray(0, image.length / 2));
    rests.push(() => response.end(image.subarray(image.length / 2)));
  },
  '/private.iso': (request, response) => {
    const isAllowed = request.headers.authorization === `Basic ${btoa('u:p')}`;
    response.writeHead(isAllowed ? 200 : 401).end(isAllowed ? image : '');
  },
  '/moved.iso': (_request, response) => {
    response.writeHead(302, { location: '/here.iso' }).end();
  },
});
const tls = await startFileServer(image, {}, {});

describe('a DataVolume with a URL', () => {
  it('creates a claim with its name and imports the image', async () => {
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
    expect(spec).toMatchObject({
      storageClassName: 'sandbox',
      volumeMode: 'Filesystem',
      accessModes: ['ReadWriteMany'],
    });
    expect(status).toMatchObject({ phase: 'Bound', capacity: { storage: '1Mi' } });
    expect(server.requests).toEqual(['GET /plain.iso']);
  });

  it('reports its phase and progress, and is imported again after a restart of CDI', async () => {
    await volumes.import('slow', { http: { url: `${server.url}/slow.iso` } });
    const half = await volumes.until('slow', ({ status }) => status?.progress === '50.00%');
    expect(half.status?.phase).toBe('ImportInProgress');
    expect(conditionOf(half, 'Running')).toMatchObject({ status: 'True', reason: 'Pod is running' });
    expect(conditionOf(half, 'Ready')).toMatchObject({ status: 'False', reason: 'TransferRunning' });
    await cdi.close();
    await eventually(() => {
      expect(server.connections()).toBe(0);
    });
    cdi = await standIns({ parts: ['cdi'], cdi: { progressInterval: 25 } });
    await eventually(() => {
      expect(rests).toHaveLength(2);
    });
    rests[1]?.();
    await volumes.until('slow', ({ status }) => status?.phase === 'Succeeded');
  });

  it('creates the claim of spec.pvc', async () => {
    const pvc = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Mi' } } };
    await volumes.import('exact', { http: { url: `${server.url}/exact.iso` } }, { pvc });
    await volumes.until('exact', ({ status }) => status?.phase === 'Succeeded');
    const { spec, status } = await volumes.claim('exact');
    expect(spec).toMatchObject({ ...pvc, storageClassName: 'sandbox' });
    expect(status).toMatchObject({ phase: 'Bound', capacity: { storage: '2Mi' }, accessModes: ['ReadWriteOnce'] });
  });

  it('follows redirects', async () => {
    await volumes.import('moved', { http: { url: `${server.url}/moved.iso` } });
    await volumes.until('moved', ({ status }) => status?.phase === 'Succeeded');
  });

  it('waits for the Secret with the credentials', async () => {
    await volumes.import('private', { http: { url: `${server.url}/private.iso`, secretRef: 'maker' } });
    await volumes.until('private', (dv) => conditionOf(dv, 'Running')?.reason === 'CreateContainerConfigError');
    await client.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: volumes.namespace, name: 'maker' },
      data: { accessKeyId: btoa('u'), secretKey: btoa('p') },
    });
    await volumes.until('private', ({ status }) => status?.phase === 'Succeeded');
  });

  it('trusts the CAs of a ConfigMap', async () => {
    await client.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: volumes.namespace, name: 'ca' },
      data: { 'ca.pem': tls.ca ?? '' },
    });
    await volumes.import('trusted', { http: { url: `${tls.url}/a.iso`, certConfigMap: 'ca' } });
    await volumes.until('trusted', ({ status }) => status?.phase === 'Succeeded');
  });
});

describe('a blank DataVolume', () => {
  it('succeeds at once, and has kubectl columns', async () => {
    await volumes.import('blank', { blank: {} });
    await volumes.until('blank', ({ status }) => status?.phase === 'Succeeded');
    const path = `/apis/cdi.kubevirt.io/v1beta1/namespaces/${volumes.namespace}/datavolumes/blank`;
    const { body } = await http('GET', path, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    const { columnDefinitions, rows } = body as { columnDefinitions: { name: string }[]; rows: { cells: unknown[] }[] };
    expect(columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Phase', 'Progress', 'Restarts', 'Age']);
    expect(rows[0]?.cells.slice(0, 3)).toEqual(['blank', 'Succeeded', '100.0%']);
  });

  it('is deleted with its claim', async () => {
    await volumes.import('going', { blank: {} });
    await volumes.until('going', ({ status }) => status?.phase === 'Succeeded');
    await volumes.delete('going');
    // The garbage collector discovers new kinds every 30 s, and asks for the owner of a claim, of a kind that it does not know, after
    // pauses that double up to 82 s.
    await eventually(
      async () => {
        const claim = await client.find(CLAIMS, { namespace: volumes.namespace, name: 'going' });
        if (claim !== undefined) throw new Error('its claim is still there');
      },
      { timeout: 200_000, interval: 200 },
    );
  }, 240_000);
});
