import { afterEach, describe, expect, it } from 'vitest';
import type { ObjectRef } from '@groundcrew/controller-runtime';
import { cluster } from '../../harness/index.ts';
import { Consoles } from '../../harness/scenes/consoles.ts';
import { VirtualMachines } from '../../harness/scenes/virtual-machines.ts';
import { permit } from '../power/test-agent.ts';
import { HeldConsole } from './held-console.ts';

const world = await cluster();
const { kubeVirt } = await world.standIns({ parts: ['kubevirt'], bootTime: 100, kubeVirt: { shutdownTime: 60 } });
const namespace = await world.namespace();
const vms = new VirtualMachines(world, namespace);
const consoles = await Consoles.prepare(world, namespace);

const OFF = '[the machine is off; its console comes when it is on]';
/** A message of the agent itself. */
const OURS = /^\[[a-z]/m;
const TAKEN = '[another viewer has taken the console; press a key to take it back]';

describe('the console of a VM, held by an agent with the permissions from the manager', () => {
  const held: HeldConsole[] = [];
  afterEach(() => {
    for (const console of held.splice(0)) console.close();
  });

  async function hold(name: string, account?: Required<ObjectRef>): Promise<HeldConsole> {
    const agent = account ?? (await permitted(name));
    const console = await HeldConsole.open(world, agent, vms.ref(name));
    held.push(console);
    return console;
  }

  async function permitted(name: string): Promise<Required<ObjectRef>> {
    return await permit(world, {
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata: { namespace, name },
      spec: { virtualMachineRef: { name } },
    });
  }

  it('shows output and accepts input', async () => {
    await vms.running('typed');
    const console = await hold('typed');
    await console.typeUntil('\r', 'login: ');
    console.type('root\r');
    await console.until('# ');
    console.type('whoami\r');
    await console.until('whoami\r\nroot\r\n');
  });

  it('waits for a stopped machine, and shows its boot and its next boot', async () => {
    // Output without a connection is lost, so a long boot time lets the agent connect before the first line.
    await vms.stopped('cycled', 'Manual', { metadata: { annotations: { 'sandbox.kubevirt.io/boot-time': '2000' } } });
    const console = await hold('cycled');
    await console.until(OFF);
    await vms.put('virtualmachines/cycled/start');
    await console.until('Booting from Hard Disk...');
    await console.until('login: ');
    await vms.put('virtualmachines/cycled/restart');
    await console.until(OFF);
    await console.until('login: ');
    expect(console.text).not.toContain(TAKEN);
  });

  it('stays open while the guest reboots', async () => {
    await vms.running('rebooted');
    const console = await hold('rebooted');
    await console.typeUntil('\r', 'login: ');
    console.type('root\r');
    await console.until('# ');
    console.type('reboot\r');
    await console.until('login: ');
    expect(console.text).not.toMatch(OURS);
  });

  // The simulated nodes of the real KubeVirt do not support live migration.
  if (kubeVirt.canMigrate)
    it('stays open during a live migration without a message', async () => {
      const before = await vms.running('moved');
      const console = await hold('moved');
      await console.typeUntil('\r', 'login: ');
      expect(await vms.put('virtualmachines/moved/migrate', {})).toBe('202');
      await vms.until('moved', ({ vmi }) => vmi?.status?.nodeName !== before.status?.nodeName);
      await console.typeUntil('root\r', '# ');
      expect(console.text).not.toMatch(OURS);
    });

  it('leaves the console to another viewer until a key is pressed', async () => {
    await vms.running('shared');
    const console = await hold('shared');
    await console.typeUntil('\r', 'login: ');
    const viewer = await consoles.open('shared');
    await console.until(TAKEN);
    await viewer.logIn();
    console.type('x');
    expect(await viewer.closed()).toBe(1006);
    await console.typeUntil('whoami\r', 'root\r\n');
  });
});
