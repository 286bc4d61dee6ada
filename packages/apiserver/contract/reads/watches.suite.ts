import { beforeEach, describe, expect, it } from 'vitest';
import { cluster, eventually, type WatchEvent } from '../../../../test/harness/index.ts';

const { http, namespace, watch } = await cluster();

let path = '';

beforeEach(async () => {
  path = `/api/v1/namespaces/${await namespace()}/secrets`;
});

async function create(name: string, labels: Record<string, string> = {}): Promise<string> {
  const { body } = await http('POST', path, { body: { metadata: { name, labels } } });
  return versionOf(body);
}

async function label(name: string, labels: Record<string, string | null>): Promise<string> {
  const { body } = await http('PATCH', `${path}/${name}`, {
    body: { metadata: { labels } },
    contentType: 'application/merge-patch+json',
  });
  return versionOf(body);
}

const remove = (name: string) => http('DELETE', `${path}/${name}`);

const versionOf = (object: unknown) => (object as WatchEvent['object']).metadata.resourceVersion ?? '';

async function currentVersion(): Promise<string> {
  return versionOf((await http('GET', path)).body);
}

const told = (events: WatchEvent[]) => events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`);
const saw = (line: string) => (events: WatchEvent[]) => told(events).includes(line);
const count = (number: number) => (events: WatchEvent[]) => events.length === number;

const status = (code: number, reason: string, message: unknown) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  code,
});

describe('a watch', () => {
  it.each(['', '&resourceVersion=0', '&resourceVersion='])(
    'without a version begins with what is there (%j)',
    async (from) => {
      await create('a');
      await create('b');
      const seen = watch(`${path}?watch=true${from}`, { until: saw('ADDED c') });
      await create('c');
      expect(told(await seen)).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    },
  );

  it('from a version tells what happened since, in order and each with its version', async () => {
    const start = await currentVersion();
    const versions = [await create('a'), await label('a', { colour: 'red' }), await create('b')];
    const deleted = await remove('a');
    expect(deleted.status).toBe(200);
    const events = await watch(`${path}?watch=true&resourceVersion=${start}`, { until: count(4) });
    expect(told(events)).toEqual(['ADDED a', 'MODIFIED a', 'ADDED b', 'DELETED a']);
    expect(events.slice(0, 3).map(({ object }) => versionOf(object))).toEqual(versions);
    expect(Number(versionOf(events[3]?.object))).toBeGreaterThan(Number(versions[2]));
    expect(events[0]?.object).toMatchObject({ kind: 'Secret', apiVersion: 'v1', type: 'Opaque' });
  });

  it('goes on with what happens', async () => {
    const start = await create('a');
    const seen = watch(`${path}?watch=1&resourceVersion=${start}`, { until: saw('DELETED a') });
    await label('a', { colour: 'red' });
    await remove('a');
    expect(told(await seen)).toEqual(['MODIFIED a', 'DELETED a']);
  });

  it('with a label selector sees objects come and go as they match', async () => {
    const start = await currentVersion();
    await create('a');
    await label('a', { colour: 'red' });
    await label('a', { size: 'big' });
    const left = await label('a', { colour: 'blue' });
    await label('a', { size: 'small' });
    await create('end', { colour: 'red' });
    const events = await watch(`${path}?watch=true&resourceVersion=${start}&labelSelector=colour%3Dred`, {
      until: saw('ADDED end'),
    });
    expect(told(events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED end']);
    // What it was when it matched last, at the version at which it ceased to.
    expect(events[2]?.object.metadata).toMatchObject({ labels: { colour: 'red', size: 'big' }, resourceVersion: left });
  });

  it('with a field selector sees one object alone', async () => {
    const start = await currentVersion();
    await create('a');
    await create('b');
    await remove('a');
    await remove('b');
    const fields = encodeURIComponent('metadata.name=b');
    const events = await watch(`${path}?watch=true&resourceVersion=${start}&fieldSelector=${fields}`, {
      until: saw('DELETED b'),
    });
    expect(told(events)).toEqual(['ADDED b', 'DELETED b']);
  });

  it('of all namespaces sees each of them', async () => {
    const [first, start] = [path, await currentVersion()];
    await create('a');
    path = `/api/v1/namespaces/${await namespace()}/secrets`;
    await create('b');
    const events = await watch(`/api/v1/secrets?watch=true&resourceVersion=${start}`, { until: saw('ADDED b') });
    expect(told(events)).toEqual(expect.arrayContaining(['ADDED a', 'ADDED b']));
    expect(first).not.toBe(path);
  });

  it('of custom resources goes the same way', async () => {
    const bmcs = path.replace('/api/v1/', '/apis/bmc.kubevirt.io/v1beta1/').replace('secrets', 'virtualmachinebmcs');
    const body = {
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata: { name: 'one' },
      spec: { virtualMachineRef: { name: 'vm' } },
    };
    const created = await http('POST', bmcs, { body });
    expect(created.status).toBe(201);
    await http('DELETE', `${bmcs}/one`);
    const events = await watch(`${bmcs}?watch=true&resourceVersion=${Number(versionOf(created.body)) - 1}`, {
      until: saw('DELETED one'),
    });
    expect(told(events)).toEqual(['ADDED one', 'DELETED one']);
    expect(events[0]?.object).toMatchObject({ kind: 'VirtualMachineBMC', apiVersion: 'bmc.kubevirt.io/v1beta1' });
  });

  it('ends when its time is up', async () => {
    const { status: code, body, headers } = await http('GET', `${path}?watch=true&timeoutSeconds=1`);
    expect({ code, body, type: headers['content-type'] }).toEqual({
      code: 200,
      body: undefined,
      type: 'application/json',
    });
  });

  it('is asked for by anything but 0 and false', async () => {
    await create('a');
    expect(told(await watch(`${path}?watch=&timeoutSeconds=2`, { until: count(1) }))).toEqual(['ADDED a']);
    for (const no of ['0', 'false', 'False'])
      expect((await http('GET', `${path}?watch=${no}`)).body).toMatchObject({ kind: 'SecretList' });
  });

  it('may begin in the future, and waits for it', async () => {
    const version = Number(await currentVersion()) + 1_000_000;
    const { status: code, body } = await http('GET', `${path}?watch=true&resourceVersion=${version}&timeoutSeconds=1`);
    expect({ code, body }).toEqual({ code: 200, body: undefined });
  });
});

describe('a watch that cannot be', () => {
  it('of a version that is forgotten gets 410 as its only event', async () => {
    // The kind is younger than version 1, of which nothing is known, therefore.
    const bmcs = '/apis/bmc.kubevirt.io/v1beta1/virtualmachinebmcs';
    const [event, ...more] = await eventually(() => watch(`${bmcs}?watch=true&resourceVersion=1`));
    expect(more).toEqual([]);
    expect(event).toEqual({
      type: 'ERROR',
      object: status(410, 'Expired', expect.stringMatching(/^too old resource version: 1 \(\d+\)$/)),
    });
  });

  it('with initial events of the future gets 504 as its only event', async () => {
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=999999999';
    const [event, ...more] = await eventually(() => watch(`${path}?watch=true&${query}`));
    expect(more).toEqual([]);
    expect(event).toEqual({
      type: 'ERROR',
      object: {
        ...status(
          504,
          'Timeout',
          expect.stringMatching(/^Timeout: Too large resource version: 999999999, current: \d+$/),
        ),
        details: {
          causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
          retryAfterSeconds: 1,
        },
      },
    });
  });

  it('is refused before it begins', async () => {
    const refused = async (query: string) => (await http('GET', `${path}?watch=true&${query}`)).body;
    expect(await refused('resourceVersion=x')).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
      code: 500,
    });
    expect(await refused('timeoutSeconds=x')).toEqual(
      status(400, 'BadRequest', 'strconv.ParseInt: parsing "x": invalid syntax'),
    );
    expect(await refused('labelSelector=(')).toMatchObject({ reason: 'BadRequest', code: 400 });
    expect(await refused('fieldSelector=data%3Dx')).toEqual(
      status(400, 'BadRequest', 'field label not supported: data'),
    );
  });

  const field = 'resourceVersionMatch';
  const forbidden = (text: string) => ({ field, reason: 'FieldValueForbidden', message: `Forbidden: ${text}` });
  it.each([
    [
      'resourceVersionMatch=NotOlderThan',
      [forbidden('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')],
    ],
    ['sendInitialEvents=true', [forbidden('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')]],
    [
      'sendInitialEvents=true&resourceVersionMatch=Exact',
      [
        forbidden('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
        {
          field,
          reason: 'FieldValueNotSupported',
          message: 'Unsupported value: "Exact": supported values: "NotOlderThan"',
        },
      ],
    ],
    ['continue=x', [forbidden('resourceVersionMatch is forbidden when continue is provided')]],
  ])('is told what does not go together: %s', async (query, causes) => {
    const sentences = causes.map(({ message }) => `${field}: ${message}`);
    const text = sentences.length === 1 ? sentences.join('') : `[${sentences.join(', ')}]`;
    expect((await http('GET', `${path}?watch=true&${query}`)).body).toEqual({
      ...status(422, 'Invalid', `ListOptions.meta.k8s.io "" is invalid: ${text}`),
      details: { group: 'meta.k8s.io', kind: 'ListOptions', causes },
    });
  });
});
