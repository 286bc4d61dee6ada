import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';
import { answerOf, warningTexts, writeScene } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { configMaps, widgets, subjects, within, make, put, unique } = writeScene(harness);

interface Case {
  path: () => string;
  body: string;
  contentType?: string;
  /** What strict decoding complains of. */
  complaints: string[];
  /** What is read nevertheless. */
  read?: object;
}

const pod = (spec: string) => `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":${spec}}`;
const widget = (rest: string) => `{"apiVersion":"${widgets.apiVersion}","kind":"Widget",${rest}}`;
const configMap = (rest: string) => `{"apiVersion":"v1","kind":"ConfigMap",${rest}}`;
const unknown = (path: string) => `unknown field "${path}"`;

const CASES: [string, Case][] = [
  [
    'keys that a built-in kind does not have',
    {
      path: () => configMaps.path(),
      body: configMap('"metadata":{"name":"a","foo":1,"bar":{"x":1}},"dataa":{},"foo":{"a":1}'),
      complaints: ['metadata.foo', 'metadata.bar', 'dataa', 'foo'].map(unknown),
    },
  ],
  [
    'keys that a custom kind does not have',
    {
      path: () => widgets.path(),
      body: widget(
        '"metadata":{"name":"a","foo":1},"foo":1,"spec":{"x":1,"pair":{"c":1},"entries":[{"name":"a","z":1}],"free":{"any":1}},"status":{"zz":1}',
      ),
      complaints: ['metadata.foo', 'foo', 'spec.entries[0].z', 'spec.pair.c', 'spec.x', 'status.zz'].map(unknown),
      read: { spec: { preset: 'p', pair: {}, entries: [{ name: 'a', preset: 'q' }], free: { any: 1 } } },
    },
  ],
  [
    'keys in lists of lists',
    {
      path: () => within('pods'),
      body: pod(
        '{"serviceAccountName":"default","foo":1,"containers":[{"name":"a","image":"b","zoo":1,"env":[{"name":"x","val":"y"}]}]}',
      ),
      complaints: ['spec.foo', 'spec.containers[0].zoo', 'spec.containers[0].env[0].val'].map(unknown),
    },
  ],
  [
    'unknown keys of YAML',
    {
      path: () => widgets.path(),
      body: `apiVersion: ${widgets.apiVersion}\nkind: Widget\nmetadata:\n  name: a\n  foo: b\nspec: {zz: 1}\n`,
      contentType: 'application/yaml',
      complaints: ['metadata.foo', 'spec.zz'].map(unknown),
    },
  ],
];

describe.each(CASES)('%s', (_what, { path, body, contentType = 'application/json', complaints, read = {} }) => {
  const send = async (query: string) => {
    await http('POST', within('serviceaccounts'), { body: { metadata: { name: 'default' } } });
    return await http('POST', `${path()}?dryRun=All${query}`, { body, contentType });
  };

  it.each(['', '&fieldValidation=Warn', '&fieldValidation='])('are warned of: %j', async (query) => {
    const answer = await send(query);
    expect(answer).toMatchObject({ status: 201, body: read });
    expect(warningTexts(answer).toSorted()).toEqual(complaints.toSorted());
  });

  it('are refused if that is asked for', async () => {
    const answer = await send('&fieldValidation=Strict');
    expect(answerOf(answer)).toEqual(refusal(400, 'BadRequest'));
    const { message } = answer.body as { message: string };
    for (const complaint of complaints) expect(message).toContain(complaint);
    expect(warningTexts(answer)).toEqual([]);
  });

  it('are passed over if that is asked for', async () => {
    const answer = await send('&fieldValidation=Ignore');
    expect(answer).toMatchObject({ status: 201, body: read });
    expect(warningTexts(answer)).toEqual([]);
  });
});

describe.each(subjects)('a PUT of %s', (_what, kind) => {
  it('is validated as a POST is', async () => {
    const name = unique();
    const object = await make(kind.path(), kind.object(name));
    const warned = await put(kind.path(name), { ...object, other: 1 });
    expect(warned.status).toBe(200);
    expect(warningTexts(warned)).toEqual([unknown('other')]);
    expect(await put(kind.path(name, '?fieldValidation=Strict'), { ...object, other: 1 })).toMatchObject({
      status: 400,
      body: {
        message: `${kind.kind} in version "v1" cannot be handled as a ${kind.kind}: strict decoding error: unknown field "other"`,
      },
    });
  });

  it('is not validated in ways that are not known', async () => {
    const message = 'Unsupported value: "Some": supported values: "", "Ignore", "Strict", "Warn"';
    const answer = await put(kind.path('x', '?fieldValidation=Some'), kind.object('x'));
    expect(answerOf(answer)).toEqual(
      refusal(422, 'Invalid', `UpdateOptions.meta.k8s.io "" is invalid: fieldValidation: ${message}`, {
        group: 'meta.k8s.io',
        kind: 'UpdateOptions',
        causes: [{ reason: 'FieldValueNotSupported', message, field: 'fieldValidation' }],
      }),
    );
  });
});

describe('options that are wrong', () => {
  it('are told all at once', async () => {
    const path = configMaps.path(undefined, '?fieldValidation=x&dryRun=y&fieldManager=%01');
    const { status, body } = await http('POST', path, { body: configMaps.object('x') });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      reason: 'Invalid',
      details: { causes: ['fieldManager', 'dryRun', 'fieldValidation'].map((field) => ({ field })) },
    });
  });
});
