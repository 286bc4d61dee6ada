import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { Consoles } from '../../../../test/harness/scenes/consoles.ts';
import { VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
await world.standIns({ parts: ['kubevirt'], bootTime: 100, kubeVirt: { shutdownTime: 60 } });
const namespace = await world.namespace();
const vms = new VirtualMachines(world, namespace);
const consoles = await Consoles.prepare(world, namespace);

const MAC = '02:00:00:00:00:77';

describe('the guest on a console', () => {
  it('shows how it boots, from the firmware to the login', async () => {
    const uuid = '6b1b6f0a-0d5c-4f0e-9c1e-0123456789ab';
    await vms.running('boots', 'Manual', {
      interfaces: [{ macAddress: MAC, bootOrder: 1 }],
      disks: [{ bootOrder: 2 }],
      domain: { firmware: { uuid } },
      spec: { hostname: 'db-1' },
    });
    const console = await consoles.open('boots');
    await vms.put('virtualmachineinstances/boots/reset');
    const log = await console.until('SeaBIOS').then(() => console.until('db-1 login: '));
    expect(log).toContain(`Machine UUID ${uuid}\r\n`);
    expect(log).toContain(`Configuring (net0 ${MAC})...... No configuration methods succeeded`);
    expect(log.indexOf('Booting from Hard Disk')).toBeGreaterThan(log.indexOf('No more network devices'));
    expect(log).toMatch(/\[ {4}0\.\d{6}\] Linux version/);
    expect(console.isBinary).toBe(true);
    console.close();
  });

  it('can be logged in to and be told things', async () => {
    await vms.running('talks', 'Manual', { interfaces: [{ macAddress: MAC }] });
    const console = await consoles.open('talks');
    await console.logIn();
    expect(await console.command('hostname', '# ')).toBe('hostname\r\ntalks\r\nroot@talks:~# ');
    expect(await console.command('ip addr', '# ')).toContain(`link/ether ${MAC} `);
    expect(await console.command('dmesg', 'Hostname set to <talks>')).toContain('Linux version');
  });

  it('shows nothing of before to whoever comes later, and a prompt at Enter', async () => {
    await vms.running('later', 'Manual');
    const first = await consoles.open('later');
    await first.logIn();
    first.close();
    await first.closed();
    const second = await consoles.open('later');
    expect(await second.command('', '# ')).toBe('\r\nroot@later:~# ');
    expect(second.text).toBe('\r\nroot@later:~# ');
  });

  it('passes text frames over, as KubeVirt does', async () => {
    await vms.running('frames', 'Manual');
    const console = await consoles.open('frames');
    await console.logIn();
    console.say('hostname\r');
    expect(await console.command('whoami', '# ')).toBe('whoami\r\nroot\r\nroot@frames:~# ');
  });

  it('powers the machine off when it is told to', async () => {
    await vms.running('poweroff', 'Manual');
    const console = await consoles.open('poweroff');
    await console.logIn();
    await console.command('poweroff', 'reboot: Power down\r\n');
    expect(await console.closed()).toBe(1006);
    const { vm } = await vms.until('poweroff', ({ vmi }) => vmi?.status?.phase === 'Succeeded');
    expect(vm.spec.runStrategy).toBe('Manual');
  });

  it('powers the machine off with nobody to look any more', async () => {
    await vms.running('unseen', 'Manual');
    const console = await consoles.open('unseen');
    await console.logIn();
    await console.command('poweroff', 'poweroff\r\n');
    console.close();
    await vms.until('unseen', ({ vmi }) => vmi?.status?.phase === 'Succeeded');
  });

  it('boots anew in the same instance when it is told to', async () => {
    const before = await vms.running('reboot', 'Manual');
    const console = await consoles.open('reboot');
    await console.logIn();
    await console.command('reboot', 'reboot: Restarting system\r\nSeaBIOS');
    await console.until('reboot login: ');
    expect((await vms.vmi('reboot'))?.metadata.uid).toBe(before.metadata.uid);
  });
});

describe('what is done to the machine', () => {
  it('a reset shows at once, and leaves the console where it is', async () => {
    await vms.running('reset', 'Manual');
    const console = await consoles.open('reset');
    await console.logIn();
    await vms.put('virtualmachineinstances/reset/reset');
    await console.until('SeaBIOS');
    await console.until('reset login: ');
    expect(console.isOpen).toBe(true);
  });

  it('a soft reboot shuts the system down and boots it', async () => {
    await vms.running('soft', 'Manual');
    const console = await consoles.open('soft');
    await console.logIn();
    await vms.put('virtualmachineinstances/soft/softreboot');
    await console.until('Power key pressed short.');
    await console.until('reboot: Restarting system\r\nSeaBIOS');
    await console.until('soft login: ');
  });

  it('a pause keeps what is typed until the guest goes on', async () => {
    await vms.running('pause', 'Manual');
    const console = await consoles.open('pause');
    await console.logIn();
    const before = console.text;
    await vms.put('virtualmachineinstances/pause/pause');
    await vms.until('pause', ({ vm }) => vm.status?.printableStatus === 'Paused');
    console.type('whoami\r');
    // The answer to a later request came back over the same servers, and still the guest is silent.
    expect((await vms.answer('GET', 'virtualmachineinstances/pause/guestosinfo')).status).toBe(500);
    expect(console.text).toBe(before);
    expect(await vms.put('virtualmachineinstances/pause/unpause')).toBe('200');
    await console.until('whoami\r\nroot\r\n');
  });

  it('a stop shows the system shutting down, and ends the console', async () => {
    await vms.running('stop', 'Manual');
    const console = await consoles.open('stop');
    await console.logIn();
    await vms.put('virtualmachines/stop/stop');
    await console.until('Power key pressed short.');
    expect(await console.closed()).toBe(1006);
    expect(console.text).toContain('The system will power off now!');
  });

  it('a restart ends the console; the new instance has another', async () => {
    const before = await vms.running('restart', 'Manual');
    const console = await consoles.open('restart');
    await console.logIn();
    await vms.put('virtualmachines/restart/restart');
    expect(await console.closed()).toBe(1006);
    await vms.untilRunning('restart', before);
    const other = await consoles.open('restart');
    // A fresh system, with nobody logged in.
    await vms.put('virtualmachineinstances/restart/reset');
    await other.until('restart login: ');
  });
});
