import { describe, expect, it } from 'vitest';
import { KubeClient, TransportError, type TransportRequest } from '@groundcrew/controller-runtime';
import { ScriptedApi } from '@groundcrew/controller-runtime/testing';
import { aVm } from '../../testing/builders.ts';
import { probePower } from './power-probe.ts';

interface Answer {
  status: number;
  body: unknown;
}

const ACCEPTED = { status: 202, body: {} };

async function probe(answer: (request: TransportRequest) => Answer) {
  const requests: TransportRequest[] = [];
  const transport = new ScriptedApi();
  transport.intercept = (request) => {
    requests.push(request);
    return answer(request);
  };
  const client = new KubeClient({ transport, fieldManager: 'groundcrew-agent-bmc' });
  return { refusal: await probePower(client, { namespace: 'vms', name: 'a' }, aVm()), requests };
}

function review(allowed: boolean): Answer {
  return { status: 201, body: { kind: 'SelfSubjectAccessReview', status: { allowed } } };
}

function isReview({ path }: TransportRequest): boolean {
  return path.endsWith('/selfsubjectaccessreviews');
}

describe('the probe of power control', () => {
  it('sends only requests that change nothing', async () => {
    const { refusal, requests } = await probe((request) => (isReview(request) ? review(true) : ACCEPTED));
    expect(refusal).toBeUndefined();
    const of = requests.map(({ method, path, body }) => [
      method,
      path.split('/').at(-1),
      JSON.parse(body ?? '') as unknown,
    ]);
    const reviewOf = (subresource: string) => ({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: {
          ...{ group: 'subresources.kubevirt.io', version: 'v1', resource: 'virtualmachineinstances', subresource },
          ...{ namespace: 'vms', name: 'a', verb: 'update' },
        },
      },
    });
    expect(of).toEqual([
      ...['start', 'stop', 'restart', 'pause', 'unpause'].map((last) => ['PUT', last, { dryRun: ['All'] }]),
      ...['reset', 'softreboot'].map((last) => ['POST', 'selfsubjectaccessreviews', reviewOf(last)]),
      [
        ...['PATCH', 'a?fieldManager=groundcrew-agent-bmc&dryRun=All'],
        [{ op: 'test', path: '/metadata/uid', value: 'vm-1' }],
      ],
    ]);
  });

  it('ignores refusals because of the state of the VM', async () => {
    const { refusal, requests } = await probe((request) => {
      if (isReview(request)) return review(true);
      return { status: request.path.includes('virtualmachineinstances') ? 404 : 409, body: '' };
    });
    expect(refusal).toBeUndefined();
    expect(requests).toHaveLength(8);
  });

  it.each(['start', 'stop', 'restart', 'pause', 'unpause'])('stops at the refusal of %s', async (subresource) => {
    const isRefused = ({ path }: TransportRequest): boolean => path.endsWith(`/${subresource}`);
    const { refusal, requests } = await probe((request) =>
      isRefused(request) ? { status: 406, body: '406: Not Acceptable' } : ACCEPTED,
    );
    expect(refusal).toMatchObject({ reason: 'PowerControlRefused' });
    expect(requests.findIndex(isRefused)).toBe(requests.length - 1);
  });

  it('detects the missing permission to reset', async () => {
    const { refusal } = await probe((request) => (isReview(request) ? review(false) : ACCEPTED));
    expect(refusal).toMatchObject({
      reason: 'PowerControlForbidden',
      message: expect.stringContaining('"a" is forbidden: cannot update reset') as string,
    });
  });

  it('ignores a cluster without access reviews', async () => {
    expect(
      (await probe((request) => (isReview(request) ? { status: 403, body: {} } : ACCEPTED))).refusal,
    ).toBeUndefined();
  });

  it('detects the missing permission to patch the VM', async () => {
    const { refusal } = await probe((request) => {
      if (isReview(request)) return review(true);
      return request.method === 'PATCH' ? { status: 403, body: 'forbidden' } : ACCEPTED;
    });
    expect(refusal).toMatchObject({ reason: 'PowerControlForbidden' });
  });

  it('throws if the API server does not answer', async () => {
    const answer = () => {
      throw new Error('ECONNREFUSED');
    };
    await expect(probe(answer)).rejects.toThrow(TransportError);
  });
});
