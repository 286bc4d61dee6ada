import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';
import {
  answerOf,
  APPLY,
  invalid,
  JSON_PATCH,
  masked,
  MERGE,
  ownersOf,
  owns,
  STRATEGIC,
  writeScene,
  type Body,
} from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const scale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
};
const { configMaps, widgets, namespace, within, make, get, put, patch, unique } = writeScene(harness, {
  subresources: { status: {}, scale },
});

const scaleOf = (name: string, replicas?: unknown, metadata = {}) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name, namespace: namespace(), ...metadata },
  spec: replicas === undefined ? {} : { replicas },
});
const shown = (name: string, spec: object, status: object) => ({
  kind: 'Scale',
  apiVersion: 'autoscaling/v1',
  metadata: { name, namespace: namespace(), uid: '<uid>', resourceVersion: '<version>', creationTimestamp: '<time>' },
  spec,
  status,
});

describe('the scale of a custom kind', () => {
  const scaled = async (replicas = 2) => {
    const name = unique();
    await make(widgets.path(), widgets.object(name, { replicas }));
    return { name, path: widgets.path(name), scalePath: widgets.path(name, '/scale') };
  };

  it('shows its replicas, and those it has', async () => {
    const { name, path, scalePath } = await scaled();
    expect(masked(await get(scalePath))).toEqual(shown(name, { replicas: 2 }, { replicas: 0 }));
    await patch(MERGE, `${path}/status`, { status: { replicas: 1, selector: 'a=b' } });
    expect(masked(await get(scalePath))).toEqual(shown(name, { replicas: 2 }, { replicas: 1, selector: 'a=b' }));
    const { metadata } = await get(path);
    expect((await get(scalePath)).metadata).toMatchObject({
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
    });
  });

  it('can be put and patched, which is a new generation', async () => {
    const { name, path, scalePath } = await scaled();
    const { status, body } = await put(scalePath, scaleOf(name, 4));
    expect(status).toBe(200);
    expect(masked(body)).toEqual(shown(name, { replicas: 4 }, { replicas: 0 }));
    expect((await patch(MERGE, scalePath, { spec: { replicas: 5 } })).body).toMatchObject({ spec: { replicas: 5 } });
    const replace = [{ op: 'replace', path: '/spec/replicas', value: 6 }];
    expect((await patch(JSON_PATCH, scalePath, replace)).body).toMatchObject({ spec: { replicas: 6 } });
    const after = await get(path);
    expect(after).toMatchObject({ metadata: { generation: 4 }, spec: { replicas: 6, preset: 'p' } });
    const { time: _none, ...scaler } = owns(
      'unknown',
      { 'f:spec': { 'f:replicas': {} } },
      { apiVersion: widgets.apiVersion, subresource: 'scale' },
    );
    expect(ownersOf(after)).toEqual([
      scaler,
      owns('unknown', { 'f:spec': { '.': {}, 'f:preset': {} } }, { apiVersion: widgets.apiVersion }),
    ]);
  });

  it('that changes nothing writes nothing', async () => {
    const { name, path, scalePath } = await scaled();
    await put(scalePath, scaleOf(name, 3));
    const before = await get(path);
    await put(scalePath, scaleOf(name, 3));
    expect((await get(path)).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it('leaves nothing of a dry run', async () => {
    const { name, path, scalePath } = await scaled();
    const before = await get(path);
    expect(await put(`${scalePath}?dryRun=All`, scaleOf(name, 7))).toMatchObject({ body: { spec: { replicas: 7 } } });
    expect(await get(path)).toEqual(before);
  });

  it('is not negative', async () => {
    const { name, scalePath } = await scaled();
    expect(answerOf(await patch(MERGE, scalePath, { spec: { replicas: -5 } }))).toEqual(
      invalid('Widget', widgets.group, name, [
        {
          field: '.spec.replicas',
          reason: 'FieldValueInvalid',
          message: 'Invalid value: -5: should be a non-negative integer',
        },
      ]),
    );
  });

  it('follows the rules of concurrency', async () => {
    const { name, scalePath } = await scaled();
    expect(answerOf(await put(scalePath, scaleOf(name, 4, { resourceVersion: '1' })))).toEqual(
      refusal(
        409,
        'Conflict',
        `Operation cannot be fulfilled on ${widgets.resource} "${name}": the object has been modified; please apply your changes to the latest version and try again`,
        widgets.details(name),
      ),
    );
    expect(answerOf(await put(scalePath, scaleOf('other', 4)))).toEqual(
      refusal(400, 'BadRequest', `the name of the object (other) does not match the name on the URL (${name})`),
    );
  });

  it('cannot be applied', async () => {
    const { name, path, scalePath } = await scaled();
    const applied = `${scalePath}?fieldManager=me`;
    const conflict = await patch(APPLY, applied, scaleOf(name, 8));
    expect(conflict).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/^Apply failed with 1 conflict: .*: \.spec\.replicas$/) as string },
    });
    expect(answerOf(await patch(APPLY, `${applied}&force=true`, scaleOf(name, 8)))).toEqual(
      refusal(
        500,
        '',
        `failed to convert new object (${namespace()}/${name}; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
      ),
    );
    expect(await get(path)).toMatchObject({ spec: { replicas: 2 } });
  });

  it('is not patched strategically', async () => {
    const { scalePath } = await scaled();
    expect(answerOf(await patch(STRATEGIC, scalePath, {}))).toEqual(
      refusal(
        415,
        'UnsupportedMediaType',
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      ),
    );
  });

  it('cannot be told of an object that does not say', async () => {
    const name = unique();
    await make(widgets.path(), widgets.object(name, {}));
    expect(answerOf(await http('GET', widgets.path(name, '/scale')))).toEqual(
      refusal(
        500,
        'InternalError',
        'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
        { causes: [{ message: 'the spec replicas field ".spec.replicas" does not exist' }] },
      ),
    );
    expect(masked((await put(widgets.path(name, '/scale'), scaleOf(name))).body)).toEqual(
      shown(name, {}, { replicas: 0 }),
    );
  });

  it('is not there of what is not there', async () => {
    const missing = refusal(404, 'NotFound', `${widgets.resource} "nope" not found`, widgets.details('nope'));
    expect(answerOf(await http('GET', widgets.path('nope', '/scale')))).toEqual(missing);
    expect(answerOf(await put(widgets.path('nope', '/scale'), scaleOf('nope', 1)))).toEqual(missing);
  });
});

describe('the scale of a Deployment', () => {
  const path = () => within('deployments', 'apps');
  beforeAll(async () => {
    await make(path(), {
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'In', values: ['d', 'e'] }] },
        template: { metadata: { labels: { a: 'b', c: 'd' } }, spec: { containers: [{ name: 'a', image: 'b' }] } },
      },
    });
  });
  const scalePath = () => `${path()}/d/scale`;

  it('shows its selector', async () => {
    expect(masked(await get(scalePath()))).toEqual(
      shown('d', { replicas: 1 }, { replicas: 0, selector: 'a=b,c in (d,e)' }),
    );
  });

  it('can be put, patched and patched strategically', async () => {
    expect((await put(scalePath(), scaleOf('d', 2))).body).toMatchObject({ spec: { replicas: 2 } });
    expect((await patch(MERGE, scalePath(), { spec: { replicas: 3 } })).body).toMatchObject({ spec: { replicas: 3 } });
    const { body } = await patch(STRATEGIC, scalePath(), { spec: { replicas: 4 } });
    expect(body).toMatchObject({ spec: { replicas: 4 } });
    const after = await get(`${path()}/d`);
    expect(after).toMatchObject({ metadata: { generation: 4 }, spec: { replicas: 4 } });
    expect((after.metadata['managedFields'] as Body[])[0]).toEqual({
      manager: 'unknown',
      operation: 'Update',
      apiVersion: 'apps/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      subresource: 'scale',
    });
  });

  it('is a number that is not negative', async () => {
    expect(answerOf(await put(scalePath(), scaleOf('d', -2)))).toEqual(
      invalid('Scale', 'autoscaling', 'd', [
        {
          field: 'spec.replicas',
          reason: 'FieldValueInvalid',
          message: 'Invalid value: -2: must be greater than or equal to 0',
        },
      ]),
    );
    expect(answerOf(await put(scalePath(), scaleOf('d', 'x')))).toEqual(
      refusal(
        400,
        'BadRequest',
        'Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32',
      ),
    );
  });
});

describe('the scale of a kind that has none', () => {
  it('is not there', async () => {
    await make(configMaps.path(), configMaps.object('c'));
    expect((await http('GET', configMaps.path('c', '/scale'))).status).toBe(404);
  });
});
