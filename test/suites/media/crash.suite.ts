import { expect, it } from 'vitest';
import { DATA_VOLUMES, MEDIA_ANNOTATIONS, VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINES } from '../../../api/index.ts';
import { SECRETS } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../harness/index.ts';
import { restoreWithoutStatus } from '../../harness/scenes/backup.ts';
import { startFileServer } from '../../harness/scenes/file-server.ts';
import type { TestAgent } from '../power/test-agent.ts';
import { anImage, COLLECTED, driveOf, MediaScene, requester } from './media-scene.ts';

const world = await cluster();
await world.standIns({ parts: ['kubevirt', 'cdi'], bootTime: 60, cdi: { progressInterval: 25 } });
const namespace = await world.namespace();
const scene = new MediaScene(world, namespace);
const server = await startFileServer(Buffer.alloc(300_000, 'groundcrew'));
const VOLUMES = [
  { name: 'root', containerDisk: { image: 'example.invalid/disk' } },
  { name: 'tools', containerDisk: { image: 'example.invalid/tools' } },
];
const DISKS = [{}, { name: 'tools', cdrom: { bus: 'sata' } }];

/** Writes of an insertion or its end: to the BMC's status, the DataVolume, the Secret and the VM. */
const counts = (method: string, path: string): boolean =>
  method !== 'GET' && /virtualmachinebmcs|datavolumes|cd-login|\/virtualmachines\//.test(path);
/** Insert: Secret, status, DataVolume, VM, status, Secret, status. Eject: status, VM, DataVolume, status. */
const WRITES = [0, 1, 2, 3, 4, 5, 6];

/** Runs `work` with an agent that is killed during it, and continues with the next agent. */
async function killedAt(
  name: string,
  writes: number,
  when: 'before' | 'after',
  work: (agent: TestAgent) => Promise<unknown>,
): Promise<TestAgent> {
  const agent = await scene.agent(name);
  agent.transport.killAfter(writes, when, counts);
  await work(agent).catch(() => undefined);
  // The remaining writes may follow after the response.
  await eventually(async () => {
    const phase = (await scene.entry(name))?.phase;
    if (!agent.transport.isDead && phase !== 'Inserted' && phase !== 'Ejected')
      throw new Error(`it lives, in ${phase}`);
  });
  await agent.kill();
  return await scene.agent(name);
}

it.concurrent.each(
  WRITES.flatMap((writes) => [
    { writes, when: 'before' as const },
    { writes, when: 'after' as const },
  ]),
)(
  'an agent that is killed $when write $writes of an insertion, and an agent killed at its end, leave no unfinished work',
  async ({ writes, when }) => {
    const name = `crash-${writes}-${when}`;
    await scene.machine(name, { disks: DISKS, volumes: VOLUMES });
    const before = (await scene.vm(name)).spec.template;
    const image = anImage(`${server.url}/${name}.iso`, { userName: 'maker', password: 'secret' });
    const next = await killedAt(name, writes, when, (agent) => agent.machine.media.insert('Cd', image, requester));
    // A client without a response repeats its request; if the status already contains the image, the drive is in use.
    if ((await scene.entry(name)) === undefined) {
      expect((await scene.vm(name)).spec.template).toEqual(before);
      await next.machine.media.insert('Cd', image, requester);
    }
    await scene.untilPhase(name, 'Inserted');
    const volumes = (await scene.vm(name)).spec.template.spec.volumes;
    expect(volumes).toEqual([VOLUMES[0], { name: 'tools', dataVolume: { name: `${name}-bmc-cd` } }]);
    await next.close();
    const last = await killedAt(name, Math.min(writes, 3), when, (agent) => agent.machine.media.eject('Cd', requester));
    await last.machine.media.eject('Cd', requester);
    await scene.untilPhase(name, 'Ejected');
    expect((await scene.vm(name)).spec.template).toEqual(before);
    await eventually(async () => {
      expect(driveOf(last)).toMatchObject({ isInserted: false });
      expect(await world.client.find(DATA_VOLUMES, { namespace, name: `${name}-bmc-cd` })).toBeUndefined();
      expect(await world.client.find(SECRETS, { namespace, name: `${name}-bmc-cd-login` })).toBeUndefined();
    }, COLLECTED);
    await last.close();
  },
);

it.concurrent('an image of objects that are restored without status is removed from the machine', async () => {
  const name = 'restored';
  await scene.machine(name, { disks: DISKS, volumes: VOLUMES });
  const before = (await scene.vm(name)).spec.template;
  const doomed = await scene.agent(name);
  await doomed.machine.media.insert('Cd', anImage(`${server.url}/${name}.iso`), requester);
  await scene.untilPhase(name, 'Inserted');
  await doomed.kill();
  await restoreWithoutStatus(world.client, VIRTUAL_MACHINE_BMCS, scene.bmc(name));
  await restoreWithoutStatus(world.client, VIRTUAL_MACHINES, { namespace, name });
  expect((await scene.vm(name)).spec.template).not.toEqual(before);
  const heir = await scene.agent(name);
  await eventually(async () => {
    const { metadata, spec } = await scene.vm(name);
    expect(spec.template).toEqual(before);
    expect(metadata.annotations ?? {}).not.toHaveProperty([MEDIA_ANNOTATIONS.Cd]);
  });
  expect(driveOf(heir)).toMatchObject({ isInserted: false });
  await heir.close();
});
