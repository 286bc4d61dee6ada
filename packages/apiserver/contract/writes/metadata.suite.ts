import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';
import { answerOf, invalid, warningTexts, writeScene } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { configMaps, widgets, subjects, within, unique } = writeScene(harness);

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const NAME_PART =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const QUALIFIED =
  "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
const LABEL =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const wrong = (field: string, value: unknown, text: string) => ({
  field,
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${text}`,
});

describe.each(subjects)('of %s', (_what, kind) => {
  const dry = async (metadata: Record<string, unknown>, name = 'x') =>
    await http('POST', kind.path(undefined, '?dryRun=All'), { body: kind.object(name, undefined, metadata) });
  const refused = async (metadata: Record<string, unknown>, name?: string) => answerOf(await dry(metadata, name));

  it.each(['A_b', 'a/b', '..', '-a'])('the name %s is refused', async (name) => {
    expect(await refused({}, name)).toEqual(kind.invalid(name, wrong('metadata.name', name, SUBDOMAIN)));
  });

  it('a name of more than 253 characters is refused', async () => {
    const name = 'a'.repeat(254);
    expect(await refused({}, name)).toEqual(
      kind.invalid(name, wrong('metadata.name', name, 'must be no more than 253 characters')),
    );
  });

  it.each([
    ['a b', NAME_PART],
    ['A.com/x', `prefix part ${SUBDOMAIN}`],
    ['a/b/c', QUALIFIED],
    ['/x', 'prefix part must be non-empty'],
    ['k'.repeat(64), 'name part must be no more than 63 characters'],
    [`${'a'.repeat(254)}/x`, 'prefix part must be no more than 253 characters'],
  ])('the label %s is refused', async (key, text) => {
    expect(await refused({ labels: { [key]: 'v' } })).toEqual(kind.invalid('x', wrong('metadata.labels', key, text)));
  });

  it.each([
    ['x y', LABEL],
    ['-', LABEL],
    ['v'.repeat(64), 'must be no more than 63 characters'],
  ])('the label value %s is refused', async (value, text) => {
    expect(await refused({ labels: { ok: value } })).toEqual(kind.invalid('x', wrong('metadata.labels', value, text)));
  });

  it('annotations are named like labels, in any case of letters', async () => {
    expect(await refused({ annotations: { 'a b': 'x' } })).toEqual(
      kind.invalid('x', wrong('metadata.annotations', 'a b', NAME_PART)),
    );
    expect(await dry({ annotations: { 'A.com/x': 'any \u0001 text' } })).toMatchObject({
      status: 201,
      body: { metadata: { annotations: { 'A.com/x': 'any \u0001 text' } } },
    });
  });

  it('annotations are at most 256 KiB', async () => {
    expect(await refused({ annotations: { a: 'x'.repeat(262_144) } })).toEqual(
      kind.invalid('x', {
        field: 'metadata.annotations',
        reason: 'FieldValueTooLong',
        message: 'Too long: may not be more than 262144 bytes',
      }),
    );
  });

  it('a finalizer is qualified', async () => {
    expect(await dry({ finalizers: ['test.io/a', 'test.io/a'] })).toMatchObject({ status: 201 });
    expect(await refused({ finalizers: ['test.io/a b'] })).toEqual(
      kind.invalid('x', wrong('metadata.finalizers', 'test.io/a b', NAME_PART)),
    );
  });

  it('only one of the two finalizers of the garbage collector can be asked for', async () => {
    const both = ['orphan', 'foregroundDeletion'];
    expect(await refused({ finalizers: both })).toEqual(
      kind.invalid(
        'x',
        wrong('metadata.finalizers', both, 'finalizer orphan and foregroundDeletion cannot be both set'),
      ),
    );
  });

  it('an owner is named in full', async () => {
    const empty = (key: string) => ({ ...wrong(`metadata.ownerReferences.${key}`, '', 'must not be empty') });
    expect(await refused({ ownerReferences: [{}] })).toEqual(
      kind.invalid(
        'x',
        wrong('metadata.ownerReferences.apiVersion', '', 'version must not be empty'),
        empty('kind'),
        empty('name'),
        empty('uid'),
      ),
    );
  });

  it('an owner that controls is the only one', async () => {
    const owner = (name: string) => ({ apiVersion: 'v1', kind: 'X', name, uid: name, controller: true });
    const shown = [
      { apiVersion: 'v1', kind: 'X', name: 'a', uid: 'a', controller: true },
      { apiVersion: 'v1', kind: 'X', name: 'b', uid: 'b', controller: true },
    ];
    expect(await refused({ ownerReferences: [owner('a'), owner('b')] })).toEqual(
      kind.invalid(
        'x',
        wrong(
          'metadata.ownerReferences',
          shown,
          'Only one reference can have Controller set to true. Found "true" in references for X/a and X/b',
        ),
      ),
    );
  });

  it('an Event cannot own anything', async () => {
    const reference = { apiVersion: 'v1', kind: 'Event', name: 'a', uid: 'u' };
    expect(await refused({ ownerReferences: [reference] })).toEqual(
      kind.invalid(
        'x',
        wrong('metadata.ownerReferences', reference, '/v1, Kind=Event is disallowed from being an owner'),
      ),
    );
  });

  it('an owner that is named twice is taken once, with a warning', async () => {
    const reference = { apiVersion: 'v1', kind: 'X', name: 'a', uid: 'u' };
    const answer = await dry({ ownerReferences: [reference, reference] });
    expect(answer).toMatchObject({ status: 201, body: { metadata: { ownerReferences: [reference] } } });
    expect(warningTexts(answer)).toEqual([
      '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u',
    ]);
  });

  it('empty maps and lists are left out', async () => {
    const { status, body } = await dry({ labels: {}, annotations: {}, finalizers: [], ownerReferences: [] });
    expect(status).toBe(201);
    for (const key of ['labels', 'annotations', 'finalizers', 'ownerReferences'])
      expect(body).not.toHaveProperty(`metadata.${key}`);
  });

  it('a time is a time', async () => {
    const answer = await dry({ creationTimestamp: 'soon' });
    expect(answer).toMatchObject({ status: 400 });
    expect((await dry({ creationTimestamp: null })).status).toBe(201);
  });
});

describe('labels of another type than text', () => {
  it('are refused', async () => {
    for (const kind of [configMaps, widgets]) {
      const answer = await http('POST', kind.path(), { body: kind.object('x', undefined, { labels: { a: 3 } }) });
      expect(answerOf(answer)).toEqual(refusal(400, 'BadRequest'));
    }
  });
});

describe('names of kinds with rules of their own', () => {
  const dns1035 = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`;
  const dns1123 = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`;

  it('a Service is a DNS label that begins with a letter', async () => {
    const body = { metadata: { name: '1a' }, spec: { clusterIP: 'None', ports: [{ port: 80 }] } };
    expect(await http('POST', within('services'), { body })).toMatchObject({
      status: 422,
      body: { message: `Service "1a" is invalid: metadata.name: Invalid value: "1a": ${dns1035}` },
    });
  });

  it('a Namespace is a DNS label', async () => {
    const dry = async (name: string) =>
      answerOf(await http('POST', '/api/v1/namespaces?dryRun=All', { body: { metadata: { name } } }));
    expect(await dry('A')).toEqual(invalid('Namespace', '', 'A', [wrong('metadata.name', 'A', dns1123)]));
    expect(await dry('a.b')).toEqual(
      invalid('Namespace', '', 'a.b', [wrong('metadata.name', 'a.b', 'must not contain dots')]),
    );
  });

  it('a Role may be named nearly anything', async () => {
    const roles = within('roles', 'rbac.authorization.k8s.io');
    expect((await http('POST', roles, { body: { metadata: { name: `system:${unique()}` } } })).status).toBe(201);
    expect(await http('POST', roles, { body: { metadata: { name: 'a/b' } } })).toMatchObject({
      status: 422,
      body: {
        message: `Role.rbac.authorization.k8s.io "a/b" is invalid: metadata.name: Invalid value: "a/b": may not contain '/'`,
      },
    });
  });
});
