import { expect, it } from 'vitest';
import { VIRTUAL_MACHINES } from '../../../api/index.ts';
import type { Requester } from '../../../protocols/machine/index.ts';
import { machineScene } from './machine-scene.ts';
import { TestMachine } from './test-machine.ts';

const requester: Requester = { protocol: 'IPMI', user: 'admin', address: '127.0.0.1' };
const { world, namespace, anAgent } = await machineScene();

async function instancetype(name: string, cpus: number, memory: string): Promise<void> {
  const body = {
    apiVersion: 'instancetype.kubevirt.io/v1beta1',
    kind: 'VirtualMachineInstancetype',
    metadata: { name },
    spec: { cpu: { guest: cpus }, memory: { guest: memory } },
  };
  const path = `/apis/instancetype.kubevirt.io/v1beta1/namespaces/${namespace}/virtualmachineinstancetypes`;
  expect((await world.http('POST', path, { body })).status).toBe(201);
}

it('processors and memory of an instance type are shown for a machine that is off, running, and off again', async () => {
  await instancetype('two', 2, '2Gi');
  await instancetype('four', 4, '4Gi');
  const machine = await TestMachine.create(world, namespace, 'typed', 'Manual');
  const setType = async (name: string) => {
    // Without its own memory, which would conflict with the instance type.
    const template = { spec: { domain: { memory: null } } };
    const patch = { spec: { instancetype: { kind: 'VirtualMachineInstancetype', name }, template } };
    await world.client.patch(VIRTUAL_MACHINES, machine.ref, 'merge', patch);
  };
  await setType('two');
  const agent = await anAgent(machine);
  const { machine: seen } = agent;
  const resources = () => {
    const { cpuCount, memoryBytes } = seen.hardware();
    return { cpuCount, memoryBytes };
  };
  const two = { cpuCount: 2, memoryBytes: 2 * 2 ** 30 };
  await expect.poll(resources).toEqual(two);
  await seen.power('On', requester);
  await machine.running();
  await expect.poll(() => seen.powerState()).toBe('On');
  expect(resources()).toEqual(two);
  await seen.power('ForceOff', requester);
  await machine.off();
  await expect.poll(() => seen.powerState()).toBe('Off');
  expect(resources()).toEqual(two);
  await setType('four');
  await expect.poll(resources).toEqual({ cpuCount: 4, memoryBytes: 4 * 2 ** 30 });
});
