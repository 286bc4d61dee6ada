import { afterEach, describe, expect, it } from 'vitest';
import type { TestViewer } from '../../../protocols/rfb/testing/test-viewer.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { Consoles } from '../../harness/scenes/consoles.ts';
import { screenOf } from '../../harness/scenes/screens.ts';
import { VirtualMachines } from '../../harness/scenes/virtual-machines.ts';
import { permit } from '../power/test-agent.ts';
import { HeldScreen, typeAt } from './held-screen.ts';

const world = await cluster();
const { kubeVirt } = await world.standIns({ parts: ['kubevirt'], bootTime: 100, kubeVirt: { shutdownTime: 60 } });
const namespace = await world.namespace();
const vms = new VirtualMachines(world, namespace);
const consoles = await Consoles.prepare(world, namespace);

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const TAKEN = 'vm: another viewer has taken the screen; press a key to take it back';

describe('the screen of a VM, held by an agent with the permissions from the manager', () => {
  const held: HeldScreen[] = [];
  afterEach(() => {
    for (const screen of held.splice(0)) screen.close();
  });

  async function hold(name: string): Promise<HeldScreen> {
    const agent = await permit(world, {
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata: { namespace, name },
      spec: { virtualMachineRef: { name } },
    });
    const screen = await HeldScreen.of(world, agent, vms.ref(name));
    held.push(screen);
    return screen;
  }

  /** Resolves when the viewers show the same, and something else than `before`. */
  async function same(viewers: readonly TestViewer[], before?: string): Promise<string> {
    return await eventually(() => {
      const pictures = new Set(viewers.map(({ picture }) => picture?.text()));
      const [picture] = pictures;
      if (pictures.size !== 1 || picture === undefined || picture === before) throw new Error('not yet the same');
      return picture;
    });
  }

  async function titled(viewer: TestViewer, title: string): Promise<void> {
    await eventually(() => {
      if (viewer.title !== title) throw new Error(viewer.title);
    });
  }

  it('is shared by viewers, and their keys arrive', async () => {
    await vms.running('shared');
    const screen = await hold('shared');
    const serial = await consoles.open('shared');
    await serial.command('', 'login: ');
    const [one, two] = [screen.attach(), screen.attach({ encodings: [] })];
    const before = await same([one, two]);
    typeAt(two, 'root\r');
    await serial.until('root@shared:~# ');
    const late = screen.attach();
    await same([one, two, late], before);
    expect([one.end, two.end, late.end]).toEqual([undefined, undefined, undefined]);
    serial.close();
  });

  it('survives that the VM is powered off and on', async () => {
    await vms.stopped('cycled');
    const screen = await hold('cycled');
    await expect(screen.display.screenshot()).rejects.toMatchObject({ code: 'InvalidState' });
    const viewer = screen.attach();
    await titled(viewer, 'vm: the machine is off; its screen comes when it is on');
    const black = viewer.picture?.text();
    await vms.put('virtualmachines/cycled/start');
    await titled(viewer, 'vm');
    await same([viewer], black);
    await vms.put('virtualmachines/cycled/stop');
    await titled(viewer, 'vm: the machine is off; its screen comes when it is on');
    expect(viewer.end).toBeUndefined();
  });

  it('stays open while the guest reboots', async () => {
    await vms.running('rebooted');
    const screen = await hold('rebooted');
    const viewer = screen.attach();
    const before = await same([viewer]);
    await vms.put('virtualmachineinstances/rebooted/reset');
    await same([viewer], before);
    expect([viewer.end, viewer.title]).toEqual([undefined, 'vm']);
  });

  // The simulated nodes of the real KubeVirt do not support live migration.
  if (kubeVirt.canMigrate)
    it('stays open during a live migration', async () => {
      const { status } = await vms.running('moved');
      const screen = await hold('moved');
      const viewer = screen.attach();
      const before = await same([viewer]);
      expect(await vms.put('virtualmachines/moved/migrate', {})).toBe('202');
      await vms.until('moved', ({ vmi }) => vmi?.status?.nodeName !== status?.nodeName);
      // What is typed before the screen is connected again is lost.
      await eventually(() => {
        typeAt(viewer, 'root\r');
        if (viewer.picture?.text() === before) throw new Error('the picture is the same');
      });
      expect([viewer.end, viewer.title]).toEqual([undefined, 'vm']);
    });

  it('is photographed without a viewer noticing', async () => {
    await vms.running('pictured');
    const screen = await hold('pictured');
    const viewer = screen.attach();
    await same([viewer]);
    expect((await screen.display.screenshot()).subarray(0, PNG.length)).toEqual(PNG);
    expect([viewer.end, viewer.title]).toEqual([undefined, 'vm']);
  });

  it('is left to another client until a key is pressed', async () => {
    await vms.running('taken');
    const screen = await hold('taken');
    const viewer = screen.attach();
    await same([viewer]);
    const other = await consoles.open('taken', screenOf('taken'));
    await titled(viewer, TAKEN);
    typeAt(viewer, 'x');
    await other.closed();
    await titled(viewer, 'vm');
  });

  it('is refused by a VM without graphics', async () => {
    const devices = { disks: [], interfaces: [], autoattachGraphicsDevice: false };
    await vms.running('headless', 'Always', { domain: { devices }, spec: { networks: [], volumes: [] } });
    const screen = await hold('headless');
    const viewer = screen.attach();
    await eventually(() => {
      expect(viewer.end).toMatch(/^NotSupported: the virtual machine has no graphics device/);
    });
    await expect(screen.display.screenshot()).rejects.toMatchObject({ code: 'NotSupported' });
  });
});
