import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';

const { http, namespace } = await cluster();

const TOO_LARGE = 999_999_999;

interface List {
  kind: string;
  apiVersion: string;
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  items: { kind?: string; apiVersion?: string; metadata: { name: string; resourceVersion: string } }[];
}

let path = '';

beforeAll(async () => {
  path = `/api/v1/namespaces/${await namespace()}/secrets`;
  for (const name of ['b', 'a', 'c']) await http('POST', path, { body: { metadata: { name } } });
});

async function list(query = ''): Promise<List> {
  const { status, body } = await http('GET', `${path}${query}`);
  expect(status).toBe(200);
  return body as List;
}

const names = ({ items }: List) => items.map(({ metadata }) => metadata.name);

const invalidOptions = (...causes: { field: string; reason: string; message: string }[]) => {
  const sentences = causes.map(({ field, message }) => `${field}: ${message}`);
  const text = sentences.length === 1 ? sentences.join('') : `[${sentences.join(', ')}]`;
  return {
    status: 422,
    body: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `ListOptions.meta.k8s.io "" is invalid: ${text}`,
      reason: 'Invalid',
      details: { group: 'meta.k8s.io', kind: 'ListOptions', causes },
      code: 422,
    },
  };
};

const forbidden = (field: string, text: string) => ({
  field,
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${text}`,
});

const badRequest = (message: string) => refusal(400, 'BadRequest', message);

describe('a list', () => {
  it('is in the order of names, and leaves the kind of built-in items to itself', async () => {
    const found = await list();
    expect(found).toMatchObject({ kind: 'SecretList', apiVersion: 'v1' });
    expect(names(found)).toEqual(['a', 'b', 'c']);
    expect(found.items.map(({ kind, apiVersion }) => [kind, apiVersion])).toEqual(
      Array(3).fill([undefined, undefined]),
    );
    expect(Object.keys(found.metadata)).toEqual(['resourceVersion']);
  });

  it('of custom resources says the kind of each, and that there is no more', async () => {
    const where = await namespace();
    const bmcs = `/apis/bmc.kubevirt.io/v1beta1/namespaces/${where}/virtualmachinebmcs`;
    const body = {
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata: { name: 'one' },
      spec: { virtualMachineRef: { name: 'vm' } },
    };
    expect((await http('POST', bmcs, { body })).status).toBe(201);
    expect((await http('GET', bmcs)).body).toMatchObject({
      kind: 'VirtualMachineBMCList',
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      metadata: { continue: '' },
      items: [{ kind: 'VirtualMachineBMC', apiVersion: 'bmc.kubevirt.io/v1beta1' }],
    });
  });

  it('of a namespace that does not exist is empty', async () => {
    const { status, body } = await http('GET', '/api/v1/namespaces/nowhere/secrets');
    expect(status).toBe(200);
    expect(body).toMatchObject({ kind: 'SecretList', items: [] });
  });

  it('has a resourceVersion no older than what it shows', async () => {
    const { metadata, items } = await list();
    for (const item of items)
      expect(Number(metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(item.metadata.resourceVersion));
  });
});

describe('the resourceVersion of a list', () => {
  it.each(['0', '1'])('%s takes whatever is there', async (version) => {
    expect(names(await list(`?resourceVersion=${version}`))).toEqual(['a', 'b', 'c']);
    expect(names(await list(`?resourceVersion=${version}&resourceVersionMatch=NotOlderThan`))).toEqual(['a', 'b', 'c']);
  });

  it('0 knows no limit, since it is answered from memory', async () => {
    expect(names(await list('?resourceVersion=0&limit=1'))).toEqual(['a', 'b', 'c']);
  });

  it('with Exact shows what was there then', async () => {
    const before = (await list()).metadata.resourceVersion;
    await http('POST', path, { body: { metadata: { name: 'late' } } });
    const then = await list(`?resourceVersion=${before}&resourceVersionMatch=Exact`);
    expect(names(then)).toEqual(['a', 'b', 'c']);
    expect(then.metadata.resourceVersion).toBe(before);
    const paged = await list(`?resourceVersion=${before}&limit=500`);
    expect(names(paged)).toEqual(['a', 'b', 'c']);
    const since = await list(`?resourceVersion=${before}`);
    expect(names(since)).toEqual(['a', 'b', 'c', 'late']);
    await http('DELETE', `${path}/late`);
  });

  it.each(['', '&resourceVersionMatch=NotOlderThan', '&resourceVersionMatch=Exact', '&limit=1'])(
    'of the future gets 504 (%j)',
    async (more) => {
      const { status, body } = await http('GET', `${path}?resourceVersion=${TOO_LARGE}${more}`);
      expect(status).toBe(504);
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: expect.stringMatching(/^Timeout: Too large resource version: 999999999, current: \d+$/) as string,
        reason: 'Timeout',
        details: {
          causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
          retryAfterSeconds: 1,
        },
        code: 504,
      });
    },
  );

  it.each(['x', '-1', '1.5'])('%s is refused', async (version) => {
    expect(await http('GET', `${path}?resourceVersion=${version}`)).toMatchObject(
      badRequest(
        `invalid resource version: resourceVersion: Invalid value: "${version}": strconv.ParseUint: parsing "${version}": invalid syntax`,
      ),
    );
  });
});

describe('the parameters of a list', () => {
  it('must be numbers where they are', async () => {
    for (const parameter of ['limit', 'timeoutSeconds']) {
      expect(await http('GET', `${path}?${parameter}=x`)).toMatchObject(
        badRequest('strconv.ParseInt: parsing "x": invalid syntax'),
      );
    }
    expect(names(await list('?limit=-1'))).toEqual(['a', 'b', 'c']);
    expect(await http('GET', `${path}?limit=`)).toMatchObject(
      badRequest('strconv.ParseInt: parsing "": invalid syntax'),
    );
  });

  it.each([
    [
      'resourceVersionMatch=Exact',
      [forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided')],
    ],
    [
      'resourceVersion=0&resourceVersionMatch=Exact',
      [forbidden('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')],
    ],
    [
      'resourceVersion=1&resourceVersionMatch=Nearly',
      [
        {
          field: 'resourceVersionMatch',
          reason: 'FieldValueNotSupported',
          message: 'Unsupported value: "Nearly": supported values: "Exact", "NotOlderThan", ""',
        },
      ],
    ],
    [
      'resourceVersionMatch=Exact&continue=x',
      [
        forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
        forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'),
      ],
    ],
    ['sendInitialEvents=true', [forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')]],
  ])('that do not go together are refused: %s', async (query, causes) => {
    expect(await http('GET', `${path}?${query}`)).toMatchObject(invalidOptions(...causes));
  });
});

describe('the resourceVersion of a get', () => {
  it('does not matter where it is one that was', async () => {
    const { status, body } = await http('GET', `${path}/a?resourceVersion=0`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ kind: 'Secret', metadata: { name: 'a' } });
  });

  it('of the future gets 504', async () => {
    const { status, body } = await http('GET', `${path}/a?resourceVersion=${TOO_LARGE}`);
    expect({ status, body }).toMatchObject({ status: 504, body: { reason: 'Timeout' } });
  });

  it('that is no number gets 500', async () => {
    expect(await http('GET', `${path}/a?resourceVersion=x`)).toMatchObject({
      status: 500,
      body: {
        status: 'Failure',
        message: 'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
        code: 500,
      },
    });
  });
});
