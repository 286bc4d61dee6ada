import { beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '@groundcrew/controller-runtime';
import { cluster, type HttpAnswer, type HttpOptions } from '../../../../test/harness/index.ts';
import { VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';
import {
  ACCEPTED,
  conflict,
  JSON_TYPE,
  METHOD_NOT_ALLOWED,
  notAcceptable,
  notFound,
  OK,
  PAGE_NOT_FOUND,
  refusal,
  TEXT,
  unauthorized,
  UNSUPPORTED,
  type Answer,
} from './virt-api-answers.ts';

/**
 * What virt-api 1.8.4 answers to each client's headers, taken from its source (`pkg/virt-api/api.go`,
 * `pkg/virt-api/rest`) and from its router, go-restful 3.13 (`jsr311.go`, `route.go`).
 */
const world = await cluster();
await world.standIns({ parts: ['kubevirt'], bootTime: 60, kubeVirt: { shutdownTime: 60 } });
const vms = new VirtualMachines(world, await world.namespace());

/** Accept headers that lead to every route, by who sends them. An empty header is one that is not sent. */
const CLIENTS: [client: string, accept: string][] = [
  ['curl', '*/*'],
  ['client-go, virtctl and kubectl --raw', 'application/json, */*'],
  ['a client without an Accept header', ''],
  ['a browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
];
const KUBECTL_GET =
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json';
/** Accept headers without `*\/*`, which a route that declares no media type refuses. */
const NARROW: [client: string, accept: string][] = [
  ['a client that wants JSON alone', 'application/json'],
  ['kubectl get', KUBECTL_GET],
  ['a client that wants any application type', 'application/*'],
  ['a client that wants a picture', 'image/png'],
];

const DRY_RUN = { dryRun: ['All'] };

type Method = Parameters<typeof world.http>[0];

/** Asks for a path of the group's version, or of the namespace where it begins with a resource. */
async function ask(method: Method, path: string, options: HttpOptions = {}): Promise<HttpAnswer> {
  const root = '/apis/subresources.kubevirt.io/v1';
  const url = path.startsWith('/') ? `${root}${path}` : `${root}/namespaces/${vms.namespace}/${path}`;
  return await world.http(method, url, options);
}

async function answer(method: Method, path: string, options?: HttpOptions): Promise<Answer> {
  const { status, headers, body } = await ask(method, path, options);
  const type = headers['content-type'];
  return { status, type: Array.isArray(type) ? type.join() : type, body };
}

const probed = (livenessProbe: object) => ({ spec: { livenessProbe } });

beforeAll(async () => {
  await Promise.all([
    vms.stopped('off'),
    vms.running('on'),
    vms.running('probed', 'Always', probed({ tcpSocket: { port: 22 } })),
    vms.running('agent-probed', 'Always', probed({ guestAgentPing: {} })),
  ]);
});

/** Requests that change nothing, to routes that declare no media type; the answer is that to a header with `*\/*`. */
const UNDECLARED: [method: Method, path: string, body: object | undefined, answer: Answer][] = [
  ['PUT', 'virtualmachines/off/start', DRY_RUN, ACCEPTED],
  ['PUT', 'virtualmachines/on/stop', DRY_RUN, ACCEPTED],
  ['PUT', 'virtualmachines/on/restart', DRY_RUN, ACCEPTED],
  ['PUT', 'virtualmachines/off/restart', undefined, conflict('virtualmachine', 'off', 'VM is not running: Halted')],
  ['PUT', 'virtualmachines/nope/start', undefined, notFound('virtualmachine', 'nope')],
  ['PUT', 'virtualmachines/nope/migrate', {}, notFound('virtualmachine', 'nope')],
  ['PUT', 'virtualmachineinstances/on/pause', DRY_RUN, OK],
  ['PUT', 'virtualmachineinstances/on/unpause', DRY_RUN, conflict('virtualmachineinstance', 'on', 'VMI is not paused')],
  ['PUT', 'virtualmachineinstances/on/reset', undefined, OK],
  ['PUT', 'virtualmachineinstances/on/softreboot', undefined, OK],
  ['PUT', 'virtualmachineinstances/off/reset', undefined, notFound('virtualmachineinstance', 'off')],
  ['GET', 'virtualmachineinstances/off/console', undefined, notFound('virtualmachineinstance', 'off')],
];

const FIRST = 'virtualmachines/off/start';

describe.each(UNDECLARED)('a route that declares no media type: %s %s %j', (method, path, body, expected) => {
  it.each(CLIENTS)('answers %s', async (_client, accept) => {
    expect(await answer(method, path, { accept, ...(body === undefined ? {} : { body }) })).toEqual(expected);
  });

  it.each(NARROW)('answers 406 to %s', async (_client, accept) => {
    expect(await answer(method, path, { accept, ...(body === undefined ? {} : { body }) })).toEqual(notAcceptable(''));
  });

  it('looks at the verb before the Accept header', async () => {
    const { status, headers } = await ask('POST', path, { accept: 'application/json', body: {} });
    expect([status, headers['allow']]).toEqual([405, method]);
  });
});

describe('a route that declares no Content-Type, or any', () => {
  it.each(['text/plain', 'application/yaml', 'application/json-patch+json'])('takes %s', async (contentType) => {
    expect(await answer('PUT', FIRST, { accept: '*/*', contentType, body: DRY_RUN })).toEqual(ACCEPTED);
    expect(await answer('PUT', 'virtualmachineinstances/on/reset', { accept: '*/*', contentType, body: {} })).toEqual(
      OK,
    );
  });
});

describe('a route that declares JSON', () => {
  const path = 'virtualmachineinstances/on/guestosinfo';
  const noAgent: Answer = {
    status: 500,
    type: TEXT,
    body:
      'Operation cannot be fulfilled on virtualmachineinstance.kubevirt.io "on": ' +
      'VMI does not have guest agent connected',
  };

  it.each([...CLIENTS, ['a client that wants JSON alone', 'application/json'], ['kubectl get', KUBECTL_GET]])(
    'answers %s',
    async (_client, accept) => {
      expect(await answer('GET', path, { accept })).toEqual(noAgent);
      expect(await answer('GET', '/version', { accept })).toMatchObject({ status: 200, type: JSON_TYPE });
    },
  );

  it.each(['application/yaml', 'application/*', 'image/png', 'text/html'])('answers 406 to %s', async (accept) => {
    expect(await answer('GET', path, { accept })).toEqual(notAcceptable(JSON_TYPE));
    expect(await answer('GET', '/version', { accept })).toEqual(notAcceptable(JSON_TYPE));
  });

  it('answers 415 to another Content-Type', async () => {
    const headers = { 'content-type': 'text/plain' };
    const agentPath = 'virtualmachineinstances/on/guestosinfo';
    expect(await answer('GET', agentPath, { accept: '*/*', headers })).toEqual(UNSUPPORTED);
    // The Content-Type is looked at first.
    expect(await answer('GET', agentPath, { accept: 'image/png', headers })).toEqual(UNSUPPORTED);
    const json = { 'content-type': 'application/json; charset=utf-8' };
    expect(await answer('GET', agentPath, { accept: '*/*', headers: json })).toEqual(noAgent);
  });

  it('is 415 at healthz and not at version, which declares nothing of requests', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect(await answer('GET', '/healthz', { headers })).toEqual(UNSUPPORTED);
    expect(await answer('GET', '/version', { headers })).toMatchObject({ status: 200, type: JSON_TYPE });
  });

  it('tells the version', async () => {
    const text = expect.any(String) as string;
    expect((await ask('GET', '/version')).body).toEqual({
      gitVersion: text,
      gitCommit: text,
      gitTreeState: text,
      buildDate: text,
      goVersion: text,
      compiler: text,
      platform: text,
    });
  });
});

describe('what there is no route for', () => {
  it.each(['POST', 'GET', 'DELETE', 'PATCH'] as const)('%s of a subresource that is PUT', async (method) => {
    const { headers, ...rest } = await ask(method, FIRST, method === 'GET' ? {} : { body: {} });
    expect({ ...rest, type: headers['content-type'] }).toEqual(METHOD_NOT_ALLOWED);
    expect(headers['allow']).toBe('PUT');
  });

  it.each(['PUT', 'POST', 'DELETE'] as const)('%s of a subresource that is GET', async (method) => {
    const { headers, ...rest } = await ask(method, 'virtualmachineinstances/on/guestosinfo', { body: {} });
    expect({ ...rest, type: headers['content-type'] }).toEqual(METHOD_NOT_ALLOWED);
    expect(headers['allow']).toBe('GET');
    expect(await answer(method, '/version', { body: {} })).toEqual(METHOD_NOT_ALLOWED);
  });

  it('is a page that is not found below a VM or an instance', async () => {
    expect(await answer('PUT', 'virtualmachines/off/explode')).toEqual(PAGE_NOT_FOUND);
    expect(await answer('GET', 'virtualmachineinstances/on/vnc/film')).toEqual(PAGE_NOT_FOUND);
    expect(await answer('PUT', 'virtualmachines/on/pause', { body: {} })).toEqual(PAGE_NOT_FOUND);
  });

  it('is unauthorized anywhere else', async () => {
    const path = `/apis/subresources.kubevirt.io/v1/namespaces/${vms.namespace}/virtualmachines/off`;
    expect(await answer('PUT', 'virtualmachines/off')).toEqual(unauthorized(`unknown api endpoint: ${path}`));
    expect(await answer('GET', 'pods/off/log')).toEqual(unauthorized('unknown resource type pods'));
    expect(await answer('GET', 'virtualmachines')).toEqual(unauthorized('unknown resource type virtualmachines'));
  });
});

describe('a dry run of a forced restart', () => {
  it('deletes the pod all the same', async () => {
    const before = await vms.running('forced');
    const body = { ...DRY_RUN, gracePeriodSeconds: 0 };
    expect(await answer('PUT', 'virtualmachines/forced/restart', { accept: '*/*', body })).toEqual(ACCEPTED);
    expect((await vms.vm('forced')).status?.stateChangeRequests).toBeUndefined();
    await vms.until('forced', ({ vmi }) => {
      const isEnding = vmi?.status?.conditions?.some(({ reason }) => reason === 'PodTerminating') === true;
      return isEnding || vmi?.metadata.uid !== before.metadata.uid;
    });
  });
});

describe('a guest with a liveness probe', () => {
  it('cannot be paused', async () => {
    const message =
      'virtualmachineinstance.kubevirt.io "probed" is forbidden: ' +
      'Pausing VMIs with a non-GuestAgentPing LivenessProbe is not supported';
    const details = { name: 'probed', group: 'kubevirt.io', kind: 'virtualmachineinstance' };
    for (const body of [{}, DRY_RUN]) {
      expect(await answer('PUT', 'virtualmachineinstances/probed/pause', { accept: '*/*', body })).toEqual(
        refusal(403, 'Forbidden', message, details),
      );
    }
  });

  it('can be paused where the guest agent is asked', async () => {
    const pause = 'virtualmachineinstances/agent-probed/pause';
    expect(await answer('PUT', pause, { accept: '*/*', body: DRY_RUN })).toEqual(OK);
  });
});

describe('our client', () => {
  async function status(method: 'GET' | 'PUT', path: string, body?: object): Promise<number> {
    try {
      await world.client.request({
        method,
        path: `/apis/subresources.kubevirt.io/v1/namespaces/${vms.namespace}/${path}`,
        ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      });
      return 200;
    } catch (error) {
      if (error instanceof ApiError) return error.status;
      throw error;
    }
  }

  it.each(UNDECLARED)('is answered as client-go is: %s %s %j', async (method, path, body, expected) => {
    if (method !== 'GET' && method !== 'PUT') throw new TypeError(`${method} is not among the methods of the table`);
    expect(await status(method, path, body)).toBe(expected.status < 300 ? 200 : expected.status);
  });
});

describe('the status of an instance', () => {
  it('has a target for each volume, if only an empty one', async () => {
    const { status } = (await vms.vmi('on')) ?? {};
    expect(status?.volumeStatus).toEqual([
      expect.objectContaining({ name: 'root', target: expect.any(String) as string }),
    ]);
  });

  it('is not ready while the guest is paused: the pod’s readiness gate is closed', async () => {
    const ready = (conditions: { type: string; status: string; reason?: string }[] | undefined): string[] =>
      (conditions ?? [])
        .filter(({ type }) => type === 'Ready' || type === 'Paused')
        .map(({ type, status, reason = '' }) => `${type}=${status}/${reason}`)
        .sort();
    await vms.stopped('started-paused');
    expect(await vms.put('virtualmachines/started-paused/start', { paused: true })).toBe('202');
    const paused = ['Paused=True/PausedByUser', 'Ready=False/ReadinessGatesNotReady'];
    const { vm } = await vms.until('started-paused', (seen) => {
      const both = [ready(seen.vm.status?.conditions), ready(seen.vmi?.status?.conditions)];
      return JSON.stringify(both) === JSON.stringify([paused, paused]) && seen.vm.status?.ready !== true;
    });
    expect(vm.status?.printableStatus).toBe('Paused');
    expect(await vms.put('virtualmachineinstances/started-paused/unpause')).toBe('200');
    await vms.untilRunning('started-paused');
  });
});
