import { expect, it } from 'vitest';
import { BMC_FINALIZER, DATA_VOLUMES, VIRTUAL_MACHINE_BMCS } from '../../../api/index.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { startFileServer } from '../../harness/scenes/file-server.ts';
import { anImage, COLLECTED, MediaScene, requester } from './media-scene.ts';

const world = await cluster();
await world.standIns({ parts: ['kubevirt', 'cdi', 'deployments'], bootTime: 60, cdi: { progressInterval: 25 } });
const namespace = await world.namespace();
const scene = new MediaScene(world, namespace);
const server = await startFileServer(Buffer.alloc(300_000, 'groundcrew'));
const VOLUMES = [
  { name: 'root', containerDisk: { image: 'example.invalid/disk' } },
  { name: 'tools', containerDisk: { image: 'example.invalid/tools' } },
];

it('a deleted BMC restores the previous medium of its machine and deletes the image', async () => {
  const machines = [
    { name: 'swapped', disks: [{}, { name: 'tools', cdrom: { bus: 'sata' } }], volumes: VOLUMES },
    { name: 'added' },
  ];
  const before = new Map<string, unknown>();
  for (const { name, ...parts } of machines) {
    await scene.machine(name, parts);
    before.set(name, (await scene.vm(name)).spec.template);
    const agent = await scene.agent(name);
    await agent.machine.media.insert('Cd', anImage(`${server.url}/${name}.iso`), requester);
    await scene.untilPhase(name, 'Inserted');
    await agent.close();
    expect((await scene.vm(name)).spec.template).not.toEqual(before.get(name));
  }
  await world.manager();
  for (const { name } of machines) {
    await eventually(async () => {
      const { metadata } = await world.client.get(VIRTUAL_MACHINE_BMCS, scene.bmc(name));
      expect(metadata.finalizers).toContain(BMC_FINALIZER);
    });
    await world.client.delete(VIRTUAL_MACHINE_BMCS, scene.bmc(name));
    await eventually(async () => {
      expect(await world.client.find(VIRTUAL_MACHINE_BMCS, scene.bmc(name))).toBeUndefined();
    });
    expect((await scene.vm(name)).spec.template).toEqual(before.get(name));
    await eventually(async () => {
      expect(await world.client.find(DATA_VOLUMES, { namespace, name: `${name}-bmc-cd` })).toBeUndefined();
    }, COLLECTED);
  }
}, 120_000);
