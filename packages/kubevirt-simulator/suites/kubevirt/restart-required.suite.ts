import { describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { isOff, VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
await world.standIns({ parts: ['kubevirt'], bootTime: 60, kubeVirt: { shutdownTime: 60 } });
const vms = new VirtualMachines(world, await world.namespace());

const INTERFACE = '/spec/template/spec/domain/devices/interfaces/0/bootOrder';

async function condition(name: string): Promise<object | undefined> {
  return (await vms.vm(name)).status?.conditions?.find(({ type }) => type === 'RestartRequired');
}

async function change(name: string, spec: object): Promise<void> {
  expect(await vms.patch(`virtualmachines/${name}`, 'merge', { spec: { template: { spec } } })).toBe('200');
}

/** The VM's controller has seen its latest generation. */
async function seen(name: string): Promise<void> {
  await eventually(async () => {
    const { metadata, status } = await vms.vm(name);
    expect(status?.desiredGeneration).toBe(metadata.generation);
  });
}

async function untilRequired(name: string): Promise<void> {
  await eventually(async () => {
    expect(await condition(name)).toEqual({
      type: 'RestartRequired',
      status: 'True',
      message: 'a non-live-updatable field was changed in the template spec',
      lastProbeTime: null,
      lastTransitionTime: expect.stringMatching(/^\d{4}-/) as string,
    });
  });
}

describe('RestartRequired', () => {
  it('is set after a change of the boot order until the next start', async () => {
    const first = await vms.running('order', 'Manual');
    const started = (await vms.vm('order')).metadata.generation;
    expect(await vms.patch('virtualmachines/order', 'json', [{ op: 'add', path: INTERFACE, value: 1 }])).toBe('200');
    await untilRequired('order');
    expect((await vms.vm('order')).status).toMatchObject({ ready: true, observedGeneration: started });
    expect(await vms.put('virtualmachines/order/stop')).toBe('202');
    await vms.until('order', isOff);
    expect(await condition('order')).toBeDefined();
    expect(await vms.put('virtualmachines/order/start')).toBe('202');
    await vms.untilRunning('order', first);
    expect(await condition('order')).toBeUndefined();
  });

  it('is removed by a restart, and set again when the template is restored after it', async () => {
    const first = await vms.running('restored', 'Manual');
    await vms.patch('virtualmachines/restored', 'json', [{ op: 'add', path: INTERFACE, value: 1 }]);
    await untilRequired('restored');
    expect(await vms.put('virtualmachines/restored/restart', { gracePeriodSeconds: 0 })).toBe('202');
    await vms.untilRunning('restored', first);
    expect(await condition('restored')).toBeUndefined();
    await vms.patch('virtualmachines/restored', 'json', [{ op: 'remove', path: INTERFACE }]);
    await untilRequired('restored');
  });

  it.each<[string, object]>([
    ['firmware', { domain: { firmware: { bootloader: { efi: { secureBoot: false } } } } }],
    ['sockets of a CPU that was not there', { domain: { cpu: { sockets: 2 } } }],
    ['cores', { domain: { cpu: { cores: 4 } } }],
    ['a disk', { domain: { devices: { disks: [{ name: 'root', cdrom: { bus: 'sata' } }] } } }],
    ['a MAC address', { domain: { devices: { interfaces: [{ name: 'default', macAddress: '02:00:00:00:00:09' }] } } }],
    ['a volume', { volumes: [{ name: 'root', containerDisk: { image: 'example.invalid/other' } }] }],
  ])('is set after a change of %s', async (what, spec) => {
    const name = what.toLowerCase().replaceAll(' ', '-');
    await vms.running(name);
    await change(name, spec);
    await untilRequired(name);
  });

  it.each<[string, object]>([
    ['sockets', { domain: { cpu: { sockets: 2 } } }],
    ['memory', { domain: { memory: { guest: '2Gi' } } }],
    ['node selector', { nodeSelector: { zone: 'a' } }],
    ['tolerations', { tolerations: [{ key: 'vms', operator: 'Exists' }] }],
    ['link state', { domain: { devices: { interfaces: [{ name: 'default', masquerade: {}, state: 'down' }] } } }],
  ])('is not set after a change of %s', async (what, spec) => {
    const name = `live-${what.replaceAll(' ', '-')}`;
    await vms.running(name, 'Always', { domain: { cpu: { sockets: 1 } } });
    await change(name, spec);
    await seen(name);
    expect(await condition(name)).toBeUndefined();
  });
});
