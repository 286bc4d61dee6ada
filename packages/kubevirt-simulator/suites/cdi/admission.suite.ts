import { describe, expect, it } from 'vitest';
import { CLAIMS, type DataVolumeSpec } from '../../cdi/objects.ts';
import { cluster } from '../../../../test/harness/index.ts';
import { DataVolumes } from '../../../../test/harness/scenes/data-volumes.ts';

const { client, http, namespace, standIns } = await cluster();
await standIns({ parts: ['cdi'] });
const volumes = new DataVolumes(client, await namespace());
const path = `/apis/cdi.kubevirt.io/v1beta1/namespaces/${volumes.namespace}/datavolumes`;

const storage = { resources: { requests: { storage: '1Gi' } } };
const pvc = { accessModes: ['ReadWriteOnce'], ...storage };
const source = { http: { url: 'http://files.example/a.iso' } };

async function refusal(spec: unknown, name = 'refused'): Promise<{ status: number; message: string; causes: unknown }> {
  const body = { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume', metadata: { name }, spec };
  const answer = await http('POST', path, { body });
  const status = answer.body as { message?: string; details?: { causes?: unknown } };
  return { status: answer.status, message: status.message ?? '', causes: status.details?.causes };
}

describe('a DataVolume is refused', () => {
  const denied = 'admission webhook "datavolume-validate.cdi.kubevirt.io" denied the request: ';

  it.each<[string, DataVolumeSpec, string, string]>([
    ['no volume', { source }, 'Missing Data volume PVC', 'spec.PVC'],
    [
      'two volumes',
      { source, pvc, storage },
      'Duplicate storage definition, both target storage and target pvc defined',
      'spec.PVC.Storage',
    ],
    ['no size', { source, storage: {} }, 'Storage size is missing', 'spec.Storage.resources.requests.size'],
    [
      'a size of nothing',
      { source, pvc: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '0' } } } },
      "PVC size can't be equal or less than zero",
      'spec.PVC.resources.requests.size',
    ],
    [
      'no access mode',
      { source, pvc: storage },
      'Required value: at least 1 access mode is required',
      'spec.PVC.accessModes',
    ],
    [
      'two access modes',
      { source, pvc: { ...storage, accessModes: ['ReadWriteOnce', 'ReadWriteMany'] } },
      'PVC multiple accessModes',
      'spec.PVC.accessModes',
    ],
    [
      'an unknown access mode',
      { source, storage: { ...storage, accessModes: ['WriteOnly'] } },
      'Unsupported value: "WriteOnly": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"',
      'spec.PVC.accessModes',
    ],
    [
      'no source',
      { storage },
      'Data volume should have either Source or SourceRef, or be externally populated',
      'spec.source',
    ],
    ['an empty source', { storage, source: {} }, 'Missing Data volume source', 'spec.source'],
    ['two sources', { storage, source: { ...source, blank: {} } }, 'Multiple Data volume sources', 'spec.source'],
    [
      'an empty URL',
      { storage, source: { http: { url: '' } } },
      'spec.source source URL is empty',
      'spec.source.HTTP.url',
    ],
    [
      'another scheme',
      { storage, source: { http: { url: 'ftp://files.example/a.iso' } } },
      'spec.source Invalid source URL scheme: ftp://files.example/a.iso',
      'spec.source.HTTP.url',
    ],
    [
      'what is no URL',
      { storage, source: { http: { url: 'files.example' } } },
      'spec.source Invalid source URL: files.example',
      'spec.source.HTTP.url',
    ],
    [
      'a blank archive',
      { storage, source: { blank: {} }, contentType: 'archive' },
      'SourceType cannot be blank and the contentType be archive',
      'spec.contentType',
    ],
  ])('that has %s', async (_what, spec, message, field) => {
    expect(await refusal(spec)).toEqual({
      status: 422,
      message: `${denied} ${message}`,
      causes: [{ reason: 'FieldValueInvalid', message, field }],
    });
  });

  it('that has a content type that there is not', async () => {
    const { status, message } = await refusal({ storage, source, contentType: 'iso3' }, 'bad');
    expect(status).toBe(422);
    expect(message).toBe(
      'DataVolume.cdi.kubevirt.io "bad" is invalid: spec.contentType: Unsupported value: "iso3": supported values: "kubevirt", "archive"',
    );
  });

  it('that has the name of a claim', async () => {
    await client.create(CLAIMS, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace: volumes.namespace, name: 'taken' },
      spec: pvc,
    });
    const { status, message } = await refusal({ storage, source }, 'taken');
    expect(status).toBe(422);
    expect(message).toBe(`${denied} Destination PVC ${volumes.namespace}/taken already exists`);
  });

  it('when its spec is to change', async () => {
    await volumes.create('fixed', { storage, source: { blank: {} } });
    const answer = await http('PATCH', `${path}/fixed`, {
      contentType: 'application/merge-patch+json',
      body: { spec: { contentType: 'archive' } },
    });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      message: `${denied} Cannot update DataVolume Spec`,
      details: { causes: [{ reason: 'FieldValueDuplicate', field: 'DataVolume.Spec' }] },
    });
  });
});

describe('kubectl', () => {
  it('shows phase, progress and restarts', async () => {
    await volumes.import('shown', { blank: {} });
    await volumes.until('shown', ({ status }) => status?.phase === 'Succeeded');
    const { body } = await http('GET', `${path}/shown`, {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    });
    const { columnDefinitions, rows } = body as { columnDefinitions: { name: string }[]; rows: { cells: unknown[] }[] };
    expect(columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Phase', 'Progress', 'Restarts', 'Age']);
    expect(rows[0]?.cells.slice(0, 3)).toEqual(['shown', 'Succeeded', '100.0%']);
  });
});
