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
const OWN = [
  { name: 'root', containerDisk: { image: 'example.invalid/disk' } },
  { name: 'tools', containerDisk: { image: 'example.invalid/tools' } },
];
const DRIVE = [{}, { name: 'tools', cdrom: { bus: 'sata' } }];

it('a machine boots from a USB stick while a CD is in its drive; the deletion of the BMC takes both out', async () => {
  await scene.machine('both', { disks: DRIVE, volumes: OWN });
  const before = (await scene.vm('both')).spec.template;
  const agent = await scene.agent('both');
  const { machine } = agent;
  for (const drive of ['Usb', 'Cd'])
    await machine.media.insert(drive, anImage(`${server.url}/${drive}.img`), requester);
  await eventually(() => {
    expect(machine.media.drives()).toMatchObject([
      { id: 'Cd', mediaTypes: ['CD', 'DVD'], isInserted: true, insertion: { state: 'Done' } },
      { id: 'Usb', mediaTypes: ['USBStick'], isInserted: true, insertion: { state: 'Done' } },
    ]);
  });
  await machine.setBootOverride({ device: 'Usb', persistence: 'Once' }, requester);
  expect(machine.bootOverride()).toEqual({ device: 'Usb', persistence: 'Once' });
  await machine.power('On', requester);
  const vmi = await scene.vms.untilRunning('both');
  const stick = vmi.spec.domain.devices.disks?.find(({ bootOrder }) => bootOrder === 1);
  expect(stick).toMatchObject({ name: 'bmc-usb', disk: { bus: 'usb', readonly: true } });
  expect(vmi.spec.volumes).toMatchObject([
    OWN[0],
    { name: 'tools', dataVolume: { name: 'both-bmc-cd' } },
    { name: 'bmc-usb', dataVolume: { name: 'both-bmc-usb' } },
  ]);
  // The running guest keeps the stick: KubeVirt hot-plugs no USB disks.
  expect(await machine.media.eject('Usb', requester)).toContain('the guest still has it until');
  await machine.media.insert('Usb', anImage(`${server.url}/next.img`), requester);
  await eventually(() => {
    expect(machine.media.drives()[1]).toMatchObject({ isInserted: true, insertion: { state: 'Waiting' } });
  });
  await machine.power('ForceOff', requester);
  await agent.close();
  await world.manager();
  await eventually(async () => {
    const { metadata } = await world.client.get(VIRTUAL_MACHINE_BMCS, scene.bmc('both'));
    expect(metadata.finalizers).toContain(BMC_FINALIZER);
  });
  await world.client.delete(VIRTUAL_MACHINE_BMCS, scene.bmc('both'));
  await eventually(async () => {
    const { metadata, spec } = await scene.vm('both');
    expect(spec.template).toEqual(before);
    expect(Object.keys(metadata.annotations ?? {}).filter((name) => name.startsWith('bmc.kubevirt.io/'))).toEqual([]);
    for (const name of ['both-bmc-usb', 'both-bmc-usb-2', 'both-bmc-cd'])
      expect(await world.client.find(DATA_VOLUMES, { namespace, name })).toBeUndefined();
  }, COLLECTED);
}, 120_000);
