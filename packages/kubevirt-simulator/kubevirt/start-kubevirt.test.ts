import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError, KubeClient, systemClock, type ObjectRef } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { httpsTransport } from '@groundcrew/controller-runtime/transport-https';
import { startApiServer, type RunningApiServer } from '@groundcrew/apiserver';
import { VIRTUAL_MACHINE_INSTANCES, VIRTUAL_MACHINES, type VirtualMachine } from './objects.ts';
import { startKubeVirt, type KubeVirt } from './start-kubevirt.ts';
import { aTemplate, aVm } from '../testing/builders.ts';

let server: RunningApiServer;
let client: KubeClient;
let kubeVirt: KubeVirt;
let asked: string[];

beforeAll(async () => {
  server = await startApiServer({ logger: silentLogger });
  client = clientOf('test');
  asked = [];
  kubeVirt = await startKubeVirt({
    client: clientOf('virt-controller'),
    clock: systemClock,
    random: randomBytes,
    logger: silentLogger,
    bootTime: 60,
    shutdownTime: 40,
    onGuestRequest: (request, { name }) => asked.push(`${request} ${name}`),
  });
});
afterAll(async () => {
  await kubeVirt.close();
  await client.close();
  await server.close();
});

function clientOf(fieldManager: string): KubeClient {
  const { server: url, ca, token } = server;
  return new KubeClient({ transport: httpsTransport({ server: url, ca, token }), fieldManager });
}

async function create(name: string, spec: Partial<VirtualMachine['spec']> = {}): Promise<ObjectRef> {
  const { template = aTemplate(), ...rest } = spec;
  const { firmware: _none, ...domain } = template.spec.domain;
  await client.create(VIRTUAL_MACHINES, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: 'default' },
    spec: { ...aVm().spec, ...rest, template: { spec: { ...template.spec, domain } } },
  });
  return { namespace: 'default', name };
}

/** The HTTP status of a subresource's answer, with the message of one that is an error. */
async function put(path: string, body?: unknown): Promise<string> {
  try {
    const request = { method: 'PUT' as const, path: `/apis/subresources.kubevirt.io/v1/namespaces/default/${path}` };
    const answer = await client.request(body === undefined ? request : { ...request, body: JSON.stringify(body) });
    return answer === undefined ? 'accepted' : JSON.stringify(answer);
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.serverMessage}`;
    throw error;
  }
}

async function until(ref: ObjectRef, condition: (vm: VirtualMachine) => boolean): Promise<VirtualMachine> {
  for (let polls = 0; polls < 400; polls += 1) {
    const vm = await client.get(VIRTUAL_MACHINES, ref);
    if (condition(vm)) return vm;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`it stays ${JSON.stringify((await client.get(VIRTUAL_MACHINES, ref)).status)}`);
}

const isStopped = ({ status }: VirtualMachine): boolean =>
  status?.printableStatus === 'Stopped' && status.created === undefined;
const isRunning = ({ status }: VirtualMachine): boolean =>
  status?.printableStatus === 'Running' && status.ready === true;

describe('a VM', () => {
  it('is started, restarted into another instance, and stopped', async () => {
    const ref = await create('manual');
    await until(ref, isStopped);
    expect(await put('virtualmachines/manual/start')).toBe('accepted');
    await until(ref, isRunning);
    const first = await client.get(VIRTUAL_MACHINE_INSTANCES, ref);
    expect(first.status).toMatchObject({ phase: 'Running', nodeName: 'node01', interfaces: [{ name: 'default' }] });
    expect(await put('virtualmachines/manual/start')).toMatch(/^409 .*VM is already running$/);
    expect(await put('virtualmachines/manual/restart', { gracePeriodSeconds: 0 })).toBe('accepted');
    await until(ref, ({ status }) => status?.stateChangeRequests === undefined);
    await until(ref, isRunning);
    const second = await client.get(VIRTUAL_MACHINE_INSTANCES, ref);
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
    expect(await put('virtualmachines/manual/stop')).toBe('accepted');
    await until(ref, isStopped);
    expect(await client.find(VIRTUAL_MACHINE_INSTANCES, ref)).toBeUndefined();
  });

  it('is deleted with its instance', async () => {
    const ref = await create('leaving', { runStrategy: 'Always' });
    await until(ref, isRunning);
    await client.delete(VIRTUAL_MACHINES, ref);
    for (let polls = 0; polls < 200 && (await client.find(VIRTUAL_MACHINES, ref)) !== undefined; polls += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await client.find(VIRTUAL_MACHINES, ref)).toBeUndefined();
    expect(await client.find(VIRTUAL_MACHINE_INSTANCES, ref)).toBeUndefined();
  });
});
