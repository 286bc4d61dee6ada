import { describe, expect, it } from 'vitest';
import type { VirtualMachine } from '../../../../api/index.ts';
import { cluster } from '../../../../test/harness/index.ts';
import { VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
await world.standIns({ parts: ['kubevirt'] });
const namespace = await world.namespace();
const vms = new VirtualMachines(world, namespace);
const INSTANCETYPES = `/apis/instancetype.kubevirt.io/v1beta1/namespaces/${namespace}/virtualmachineinstancetypes`;
const TEMPLATE = { disks: [], domain: { devices: {}, memory: undefined }, spec: { networks: [] } };

async function instancetype(name: string): Promise<void> {
  const body = {
    apiVersion: 'instancetype.kubevirt.io/v1beta1',
    kind: 'VirtualMachineInstancetype',
    metadata: { name },
    spec: { cpu: { guest: 4 }, memory: { guest: '2Gi' } },
  };
  expect((await world.http('POST', INSTANCETYPES, { body })).status).toBe(201);
}

async function vm(name: string, instancetypeName: string): Promise<void> {
  const matcher = { kind: 'VirtualMachineInstancetype', name: instancetypeName };
  expect(await vms.create(name, { runStrategy: 'Manual', instancetype: matcher }, TEMPLATE)).toBe('201');
}

async function expanded(name: string): Promise<VirtualMachine> {
  const answer = await vms.answer('GET', `virtualmachines/${name}/expand-spec`);
  expect(answer).toMatchObject({ status: 200, body: { kind: 'VirtualMachine' } });
  return answer.body as VirtualMachine;
}

describe('a VM with an instance type', () => {
  it('is expanded and started with its CPUs, memory and default devices', async () => {
    await instancetype('four');
    await vm('typed', 'four');
    const { spec } = await expanded('typed');
    expect(spec).not.toHaveProperty('instancetype');
    expect(spec.template.spec).toMatchObject({
      domain: {
        cpu: { cores: 1, sockets: 4, threads: 1 },
        memory: { guest: '2Gi' },
        devices: { disks: [{ name: 'root' }], interfaces: [{ name: 'default' }] },
      },
      networks: [{ name: 'default', pod: {} }],
    });
    expect((await vms.vm('typed')).spec.template.spec.domain).not.toHaveProperty('cpu');
    expect(await vms.put('virtualmachines/typed/start')).toBe('202');
    const { metadata, spec: guest } = await vms.untilRunning('typed');
    expect(guest.domain).toMatchObject({ cpu: { cores: 1, sockets: 4, threads: 1 }, memory: { guest: '2Gi' } });
    expect(metadata.annotations).toMatchObject({ 'kubevirt.io/instancetype-name': 'four' });
    expect((await vms.vm('typed')).status?.conditions?.map(({ type }) => type)).not.toContain('RestartRequired');
  });
});

it('a VM without an instance type is expanded without a change', async () => {
  expect(await vms.create('plain', { runStrategy: 'Manual' })).toBe('201');
  const { spec } = await expanded('plain');
  expect(spec).toEqual((await vms.vm('plain')).spec);
  expect(await vms.subresource('GET', 'virtualmachines/none/expand-spec')).toBe(
    '404 NotFound: virtualmachine.kubevirt.io "none" not found',
  );
});
