import { expect, it } from 'vitest';
import { cluster, eventually } from '../../harness/index.ts';
import { startFileServer } from '../../harness/scenes/file-server.ts';
import { featureGates } from '../../harness/scenes/feature-gates.ts';
import { anImage, driveOf, MediaScene, requester } from './media-scene.ts';

const world = await cluster();
await world.standIns({ parts: ['kubevirt', 'cdi'], bootTime: 60, cdi: { progressInterval: 25 } });
const namespace = await world.namespace();
const scene = new MediaScene(world, namespace);
const setGates = featureGates(world, namespace);
const server = await startFileServer(Buffer.alloc(300_000, 'groundcrew'));
const DRIVE = [{ bootOrder: 2 }, { name: 'cd', cdrom: { bus: 'sata' }, bootOrder: 1 }];

it('an image is inserted into and ejected from the empty drive of a running machine, and replaced by another one', async () => {
  await setGates('DeclarativeHotplugVolumes');
  await scene.machine('live', { runStrategy: 'Always', disks: DRIVE });
  const before = (await scene.vm('live')).spec.template;
  const vmi = await scene.vms.untilRunning('live');
  const agent = await scene.agent('live');
  for (const name of ['one', 'two']) {
    await agent.machine.media.insert('Cd', anImage(`${server.url}/${name}.iso`), requester);
    const entry = await scene.untilPhase('live', 'Inserted');
    expect(entry.message).toBe('the image is in the drive');
    expect((await scene.vms.vmi('live'))?.status?.volumeStatus).toContainEqual(
      expect.objectContaining({ name: 'cd', phase: 'Ready' }),
    );
    await eventually(() => {
      expect(driveOf(agent)).toMatchObject({ isInserted: true, insertion: { state: 'Done' } });
    });
    expect(await agent.machine.media.eject('Cd', requester)).toBeUndefined();
    expect((await scene.vm('live')).spec.template).toEqual(before);
    await eventually(async () => {
      expect((await scene.vms.vmi('live'))?.spec.volumes?.map((volume) => volume.name)).toEqual(['root']);
    });
  }
  const after = await scene.vms.see('live');
  expect(after.vmi?.metadata.uid).toBe(vmi.metadata.uid);
  expect(after.vm.status?.conditions?.map(({ type }) => type)).not.toContain('RestartRequired');
});

it('an image that the owner removes is not inserted again', async () => {
  await setGates('DeclarativeHotplugVolumes');
  await scene.machine('taken-out', { disks: DRIVE });
  const before = (await scene.vm('taken-out')).spec.template;
  const agent = await scene.agent('taken-out');
  await agent.machine.media.insert('Cd', anImage(`${server.url}/a.iso`), requester);
  await scene.untilPhase('taken-out', 'Inserted');
  const patch = [
    { op: 'test', path: '/spec/template/spec/volumes/1/name', value: 'cd' },
    { op: 'remove', path: '/spec/template/spec/volumes/1' },
  ];
  expect(await scene.vms.patch('virtualmachines/taken-out', 'json', patch)).toBe('200');
  const { message } = await scene.untilPhase('taken-out', 'Ejected');
  expect(message).toBe('the owner of the virtual machine took the image out');
  expect((await scene.vm('taken-out')).spec.template).toEqual(before);
});
