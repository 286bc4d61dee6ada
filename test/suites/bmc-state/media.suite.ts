import { afterAll, expect, it } from 'vitest';
import { VIRTUAL_MACHINE_BMCS } from '../../../api/index.ts';
import { SECRETS } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../harness/index.ts';
import { DataVolumes } from '../../harness/scenes/data-volumes.ts';
import { startFileServer } from '../../harness/scenes/file-server.ts';
import { featureGates } from '../../harness/scenes/feature-gates.ts';
import { VirtualMachines } from '../../harness/scenes/virtual-machines.ts';
import { TestAgent } from '../power/test-agent.ts';

const world = await cluster();
await world.standIns({ parts: ['kubevirt', 'cdi'], bootTime: 60, cdi: { progressInterval: 25 } });
const namespace = await world.namespace();
const vms = new VirtualMachines(world, namespace);
const server = await startFileServer(Buffer.alloc(1000, 'groundcrew'), {});
const agents: TestAgent[] = [];

afterAll(async () => {
  for (const agent of agents) await agent.close();
});

async function aServingAgent(): Promise<TestAgent> {
  const agent = await TestAgent.start(world, { bmc: { namespace, name: 'media-bmc' } });
  agents.push(agent);
  return agent;
}

/** Patches the machine's volumes. */
async function patch(...operations: object[]): Promise<void> {
  expect(await vms.patch('virtualmachines/media', 'json', operations)).toBe('200');
}

it('logs media inserted into and ejected from a drive, but not media present at the start of the agent', async () => {
  await featureGates(world, namespace)('DeclarativeHotplugVolumes');
  await new DataVolumes(world.client, namespace).import('iso', { http: { url: `${server.url}/a.iso` } });
  const template = { disks: [{ bootOrder: 2 }, { name: 'cd', cdrom: { bus: 'sata' }, bootOrder: 1 }] };
  expect(await vms.create('media', { runStrategy: 'Always' }, template)).toBe('201');
  await vms.untilRunning('media');
  await world.client.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: 'creds' },
    stringData: { username: 'admin', password: 'secret' },
  });
  await world.client.create(VIRTUAL_MACHINE_BMCS, {
    apiVersion: 'bmc.kubevirt.io/v1beta1',
    kind: 'VirtualMachineBMC',
    metadata: { namespace, name: 'media-bmc' },
    spec: { virtualMachineRef: { name: 'media' }, authSecretRef: { name: 'creds' } },
  });
  const first = await aServingAgent();
  const value = { name: 'cd', dataVolume: { name: 'iso', hotpluggable: true } };
  await patch({ op: 'add', path: '/spec/template/spec/volumes/-', value });
  const inserted = { kind: 'Media', change: 'Inserted', slot: 'cd' };
  await eventually(() => {
    expect(first.machine.log.entries().map(({ event }) => event)).toEqual([inserted]);
  });
  await first.close();
  const next = await aServingAgent();
  await patch(
    { op: 'test', path: '/spec/template/spec/volumes/1/name', value: 'cd' },
    { op: 'remove', path: '/spec/template/spec/volumes/1' },
  );
  await eventually(() => {
    expect(next.machine.log.entries().map(({ event }) => event)).toEqual([
      inserted,
      { kind: 'Media', change: 'Ejected', slot: 'cd' },
    ]);
  });
});
