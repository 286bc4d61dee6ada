import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';
import { answerOf, APPLY, JSON_PATCH, masked, MERGE, writeScene } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { configMaps, subjects, within, make, get, put, patch, unique } = writeScene(harness);

const DRY = '?dryRun=All';

describe.each(subjects)('a dry run of %s', (_what, kind) => {
  it('of a create answers as if, without a version, and leaves nothing', async () => {
    const body = kind.object(unique(), { text: '1' }, { labels: { a: 'b' } });
    const { name } = body.metadata as { name: string };
    const dry = await http('POST', kind.path(undefined, DRY), { body });
    expect(dry.status).toBe(201);
    expect(dry.body).not.toHaveProperty('metadata.resourceVersion');
    expect((await http('GET', kind.path(name))).status).toBe(404);
    const real = await make(kind.path(), body);
    const { resourceVersion: _new, ...metadata } = real.metadata;
    expect(masked(dry.body)).toEqual(masked({ ...real, metadata }));
  });

  it('of a create is refused as the real one', async () => {
    const body = kind.object('A_');
    expect(answerOf(await http('POST', kind.path(undefined, DRY), { body }))).toEqual(
      answerOf(await http('POST', kind.path(), { body })),
    );
  });

  it('of a change answers as if, with the version before, and leaves the object', async () => {
    const name = unique();
    const before = await make(kind.path(), kind.object(name, { text: '1' }));
    const changed = kind.object(name, { text: '2' }, { resourceVersion: before.metadata.resourceVersion });
    const labels = { metadata: { labels: { a: 'b' } } };
    const answers = [
      await put(kind.path(name, DRY), changed),
      await patch(MERGE, kind.path(name, DRY), labels),
      await patch(JSON_PATCH, kind.path(name, DRY), [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]),
      await patch(APPLY, kind.path(name, `${DRY}&fieldManager=me`), kind.object(name, {}, labels.metadata)),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toMatchObject({
        metadata: { uid: before.metadata.uid, resourceVersion: before.metadata.resourceVersion },
      });
      expect(body).not.toEqual(before);
    }
    expect(await get(kind.path(name))).toEqual(before);
  });

  it('of an apply of what is not there leaves nothing', async () => {
    const name = unique();
    const answer = await patch(APPLY, kind.path(name, `${DRY}&fieldManager=me`), kind.object(name, { text: '1' }));
    expect(answer.status).toBe(201);
    expect(answer.body).not.toHaveProperty('metadata.resourceVersion');
    expect((await http('GET', kind.path(name))).status).toBe(404);
  });

  it('of a deletion answers as if, and leaves the object', async () => {
    const name = unique();
    const before = await make(kind.path(), kind.object(name));
    expect((await http('DELETE', kind.path(name, DRY))).status).toBe(200);
    expect((await http('DELETE', kind.path(name), { body: { dryRun: ['All'] } })).status).toBe(200);
    expect((await http('DELETE', kind.path(undefined, DRY))).status).toBe(200);
    expect(await get(kind.path(name))).toEqual(before);
  });

  it.each([
    ['POST', 'CreateOptions'],
    ['PUT', 'UpdateOptions'],
    ['PATCH', 'PatchOptions'],
  ] as const)('that says anything else than All is refused: %s', async (method, options) => {
    const name = unique();
    await make(kind.path(), kind.object(name));
    const send = async (query: string) =>
      answerOf(
        await http(method, kind.path(method === 'POST' ? undefined : name, query), {
          body: kind.object(name),
          ...(method === 'PATCH' ? { contentType: MERGE } : {}),
        }),
      );
    const wrong = (value: string) => {
      const message = `Unsupported value: ${value}: supported values: "All"`;
      return refusal(422, 'Invalid', `${options}.meta.k8s.io "" is invalid: dryRun: ${message}`, {
        group: 'meta.k8s.io',
        kind: options,
        causes: [{ reason: 'FieldValueNotSupported', message, field: 'dryRun' }],
      });
    };
    expect(await send('?dryRun=some')).toEqual(wrong('["some"]'));
    expect(await send('?dryRun=')).toEqual(wrong('[""]'));
    expect(await send('?dryRun=All&dryRun=some')).toEqual(wrong('["All","some"]'));
  });
});

describe('a dry run of a kind with values to give out', () => {
  it('gives none away, and none that is taken', async () => {
    const ports = [{ port: 80, nodePort: 31888 }];
    const service = (name: string) => ({ metadata: { name }, spec: { type: 'NodePort', ports } });
    const dry = await http('POST', `${within('services')}${DRY}`, { body: service('dry') });
    expect(dry).toMatchObject({ status: 201, body: { spec: { ports } } });
    await make(within('services'), service('real'));
    expect(await http('POST', `${within('services')}${DRY}`, { body: service('late') })).toMatchObject({
      status: 422,
      body: {
        message:
          'Service "late" is invalid: spec.ports[0].nodePort: Invalid value: 31888: provided port is already allocated',
      },
    });
    await http('DELETE', `${within('services')}/real`);
  });

  it('of a subresource leaves the object', async () => {
    const name = unique();
    await make(configMaps.path(), configMaps.object(name));
    const namespaces = await get('/api/v1/namespaces/default');
    const status = { metadata: { labels: { dry: 'run' } } };
    expect((await patch(MERGE, `/api/v1/namespaces/default/status${DRY}`, status)).status).toBe(200);
    expect((await get('/api/v1/namespaces/default')).metadata['labels']).toEqual(namespaces.metadata['labels']);
  });
});
