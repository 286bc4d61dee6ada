import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { KubeClient, type TransportRequest } from '@groundcrew/controller-runtime';
import { loadInputs } from './inputs.ts';
import { NOW } from './testing/builders.ts';

const CONFIGURATIONS = { items: [{ metadata: { name: 'webhook-groundcrew-home' } }], metadata: {} };

/** A client of an API server that answers these paths in this way, and lists nothing for all others. */
function clientOf(
  answers: [part: string, status: number, body: object][],
  requests: TransportRequest[] = [],
): KubeClient {
  const request = (one: TransportRequest) => {
    requests.push(one);
    const [, status = 200, body = { items: [], metadata: {} }] =
      answers.find(([part]) => `${one.method} ${one.path}`.includes(part)) ?? [];
    return Promise.resolve({ status, headers: {}, body: Readable.from([Buffer.from(JSON.stringify(body))]) });
  };
  return new KubeClient({ transport: { request, close: () => Promise.resolve() }, fieldManager: 'test' });
}

const failure = (message: string) => ({ kind: 'Status', message });

describe('loadInputs', () => {
  it('reports each kind that cannot be read, and reads the others', async () => {
    const client = clientOf([
      ['/pods', 403, failure('pods is forbidden: User "x" cannot list resource "pods"')],
      ['/events', 500, failure('etcdserver: request timed out')],
      ['/virtualmachines?', 404, failure('not found')],
      ['/ippools?', 200, { items: [{ metadata: { name: 'lan' } }], metadata: {} }],
    ]);
    const { unread, absent, pools } = await loadInputs(client, { namespace: 'vms' });
    expect(unread.map(({ kind, namespace = '', reason }) => [kind, namespace, reason].join(' '))).toEqual([
      'Event vms Unavailable',
      'Pod vms Forbidden',
      'Pod  Forbidden',
    ]);
    expect(absent).toEqual(['VirtualMachine']);
    expect(pools.map(({ metadata }) => metadata.name)).toEqual(['lan']);
  });

  it('reads all pages, and the clock of the API server', async () => {
    const page = (name: string, next?: string) => ({ items: [{ metadata: { name } }], metadata: { continue: next } });
    const client = clientOf([
      ['continue=two', 200, page('b')],
      ['/virtualmachinebmcs', 200, page('a', 'two')],
      ['selfsubjectreviews', 201, { metadata: { creationTimestamp: '2026-11-21T12:00:00Z' } }],
    ]);
    const { bmcs, now } = await loadInputs(client);
    expect(bmcs.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(now).toBe(NOW);
  });

  it('fails if the API server does not know the user', async () => {
    const client = clientOf([['selfsubjectreviews', 401, failure('Unauthorized')]]);
    await expect(loadInputs(client)).rejects.toMatchObject({ status: 401 });
  });

  it('fails if the API server hangs, and reports what hangs later', async () => {
    const hangs = ({ signal }: TransportRequest) =>
      new Promise<never>((_, reject) =>
        signal?.addEventListener('abort', () => {
          reject(signal.reason as Error);
        }),
      );
    const close = () => Promise.resolve();
    const silent = new KubeClient({ transport: { request: hangs, close }, fieldManager: 'test' });
    await expect(loadInputs(silent, { timeout: 20 })).rejects.toMatchObject({ code: 'TransportError' });
    const request = async (one: TransportRequest) => {
      if (one.path.includes('/pods')) return await hangs(one);
      return { status: 200, headers: {}, body: Readable.from([Buffer.from('{"items":[],"metadata":{}}')]) };
    };
    const client = new KubeClient({ transport: { request, close }, fieldManager: 'test' });
    const { unread } = await loadInputs(client, { timeout: 20 });
    expect(unread).toEqual([{ kind: 'Pod', reason: 'Unavailable', message: 'the API server does not answer in time' }]);
  });

  it.each([
    ['answers', 422, 'admission webhook "ippools.validation.groundcrew.io" denied the request: too small'],
    ['fails', 500, 'failed calling webhook "ippools.validation.groundcrew.io": connection refused'],
    ['untried', 403, 'ippools is forbidden: User "x" cannot create resource "ippools"'],
    ['unasked', 201, ''],
  ])('asks the webhook by a dry run: it %s', async (answer, status, message) => {
    const requests: TransportRequest[] = [];
    const client = clientOf(
      [
        ['validatingwebhookconfigurations', 200, CONFIGURATIONS],
        ['POST /apis/network.harvesterhci.io', status, failure(message)],
      ],
      requests,
    );
    const { webhooks } = await loadInputs(client);
    expect(webhooks).toMatchObject([{ namespace: 'home', configuration: 'webhook-groundcrew-home', answer }]);
    const writes = requests.filter(({ method, path }) => method === 'POST' && path.includes('ippools'));
    expect(writes.map(({ path }) => path)).toEqual([expect.stringContaining('dryRun=All') as string]);
  });
});
