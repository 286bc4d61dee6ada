import { beforeEach, describe, expect, it } from 'vitest';
import type { VirtualMachine } from '../../../api/index.ts';
import { KubeClient, type TransportRequest } from '@groundcrew/controller-runtime';
import { FakeClock, silentLogger } from '@groundcrew/controller-runtime/testing';
import { aGuest, aVm, aVmi } from '../testing/builders.ts';
import { ExpandedVm, RETRY_AFTER } from './expanded-vm.ts';
import { hardwareOf } from './hardware-of.ts';

const URL = 'GET /apis/subresources.kubevirt.io/v1/namespaces/vms/virtualmachines/a/expand-spec';

function aTypedVm(generation = 1): VirtualMachine {
  const vm = aVm();
  vm.metadata.generation = generation;
  vm.spec.instancetype = { name: 'u1.medium' };
  vm.spec.preference = { name: 'fedora' };
  return vm;
}

/** KubeVirt's expansion of {@link aTypedVm}. */
function anExpandedVm(): VirtualMachine {
  const { domain, ...guest } = aGuest();
  const cpu = { cores: 1, sockets: 2, threads: 1 };
  return aVm({ guest: { ...guest, domain: { ...domain, cpu, memory: { guest: '4Gi' } } } });
}

let asked: string[];
let answer: { status: number; body: object };
let clock: FakeClock;
let expanded: ExpandedVm;

beforeEach(() => {
  asked = [];
  answer = { status: 200, body: anExpandedVm() };
  clock = new FakeClock();
  const request = ({ method, path }: TransportRequest) => {
    asked.push(`${method} ${path}`);
    const body = ReadableStream.from<Uint8Array>([Buffer.from(JSON.stringify(answer.body))]);
    return Promise.resolve({ status: answer.status, headers: {}, body });
  };
  const client = new KubeClient({ transport: { request, close: () => Promise.resolve() }, fieldManager: 'test' });
  const machine = { namespace: 'vms', name: 'a' };
  expanded = new ExpandedVm({ client, machine, clock, logger: silentLogger });
});

describe('an expanded VM', () => {
  it('has the processors and the memory of its instance type while off', async () => {
    const pair = { vm: aTypedVm(), vmi: undefined };
    expect(hardwareOf(expanded.in(pair))).not.toHaveProperty('memoryBytes');
    await expanded.follow(pair);
    expect(hardwareOf(expanded.in(pair))).toMatchObject({
      model: 'u1.medium',
      cpuCount: 2,
      topology: { sockets: 2, cores: 1, threads: 1 },
      memoryBytes: 4 * 2 ** 30,
      networkInterfaces: [{ name: 'default', model: 'virtio' }],
    });
    expect(asked).toEqual([URL]);
  });

  it('is requested once for each generation', async () => {
    await expanded.follow({ vm: aTypedVm(), vmi: undefined });
    await Promise.all([1, 1, 2, 2].map((generation) => expanded.follow({ vm: aTypedVm(generation), vmi: undefined })));
    expect(asked).toEqual([URL, URL]);
    const another = aTypedVm(2);
    another.metadata.uid = 'another';
    expect(hardwareOf(expanded.in({ vm: another, vmi: undefined })).memoryBytes).toBeUndefined();
    await expanded.follow({ vm: another, vmi: undefined });
    expect(asked).toHaveLength(3);
  });

  it('falls back to the template if KubeVirt does not expand it, and is retried later', async () => {
    const pair = { vm: aTypedVm(), vmi: undefined };
    answer = { status: 500, body: { kind: 'Status', status: 'Failure', code: 500, message: 'no such instance type' } };
    await expanded.follow(pair);
    await clock.advance(RETRY_AFTER - 1);
    await expanded.follow(pair);
    expect(asked).toHaveLength(1);
    expect(hardwareOf(expanded.in(pair)).memoryBytes).toBeUndefined();
    await clock.advance(1);
    answer = { status: 200, body: anExpandedVm() };
    await expanded.follow(pair);
    expect(hardwareOf(expanded.in(pair)).memoryBytes).toBe(4 * 2 ** 30);
  });
});

it('is not requested for a VM that runs or has no instance type', async () => {
  const vmi = aVmi();
  await expanded.follow({ vm: aTypedVm(), vmi });
  await expanded.follow({ vm: aVm(), vmi: undefined });
  await expanded.follow({ vm: undefined, vmi: undefined });
  expect(asked).toEqual([]);
  await expanded.follow({ vm: aTypedVm(), vmi: undefined });
  expect(expanded.in({ vm: aTypedVm(), vmi })).toEqual({ vm: aTypedVm(), vmi });
});
