import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { Consoles } from '../../../../test/harness/scenes/consoles.ts';
import { VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
const standIns = await world.standIns({ parts: ['kubevirt'], bootTime: 100, kubeVirt: { shutdownTime: 60 } });
const namespace = await world.namespace();
const vms = new VirtualMachines(world, namespace);
const consoles = await Consoles.prepare(world, namespace);

const MAC = '02:00:00:00:00:77';

describe('the guest on a console', () => {
  it('shows the boot from the firmware to the login', async () => {
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

  it('accepts a login and commands', async () => {
    await vms.running('talks', 'Manual', { interfaces: [{ macAddress: MAC }] });
    const console = await consoles.open('talks');
    await console.logIn();
    expect(await console.command('hostname', '# ')).toBe('hostname\r\ntalks\r\nroot@talks:~# ');
    expect(await console.command('ip addr', '# ')).toContain(`link/ether ${MAC} `);
    expect(await console.command('dmesg', 'Hostname set to <talks>')).toContain('Linux version');
  });

  it('ignores text frames, as KubeVirt does', async () => {
    await vms.running('frames', 'Manual');
    const console = await consoles.open('frames');
    await console.logIn();
    console.say('hostname\r');
    expect(await console.command('whoami', '# ')).toBe('whoami\r\nroot\r\nroot@frames:~# ');
  });

  it('powers the machine off with the command poweroff', async () => {
    await vms.running('poweroff', 'Manual');
    const console = await consoles.open('poweroff');
    await console.logIn();
    await console.command('poweroff', 'reboot: Power down\r\n');
    expect(await console.closed()).toBe(1006);
    const { vm } = await vms.until('poweroff', ({ vmi }) => vmi?.status?.phase === 'Succeeded');
    expect(vm.spec.runStrategy).toBe('Manual');
  });
});

describe('actions on the machine', () => {
  it('a reset keeps the console open', async () => {
    await vms.running('reset', 'Manual');
    const console = await consoles.open('reset');
    await console.logIn();
    await vms.put('virtualmachineinstances/reset/reset');
    await console.until('SeaBIOS');
    await console.until('reset login: ');
    expect(console.isOpen).toBe(true);
  });

  it('a pause keeps input until the guest continues', async () => {
    await vms.running('pause', 'Manual');
    const console = await consoles.open('pause');
    await console.logIn();
    const before = console.text;
    await vms.put('virtualmachineinstances/pause/pause');
    await vms.until('pause', ({ vm }) => vm.status?.printableStatus === 'Paused');
    console.type('whoami\r');
    // A later request over the same servers has been answered, and the guest is still silent.
    expect((await vms.answer('GET', 'virtualmachineinstances/pause/guestosinfo')).status).toBe(500);
    expect(console.text).toBe(before);
    expect(await vms.put('virtualmachineinstances/pause/unpause')).toBe('200');
    await console.until('whoami\r\nroot\r\n');
  });

  it('a restart closes the console', async () => {
    const before = await vms.running('restart', 'Manual');
    const console = await consoles.open('restart');
    await console.logIn();
    await vms.put('virtualmachines/restart/restart');
    expect(await console.closed()).toBe(1006);
    await vms.untilRunning('restart', before);
    const other = await consoles.open('restart');
    // A new system, without a login.
    await vms.put('virtualmachineinstances/restart/reset');
    await other.until('restart login: ');
  });
});

describe('consoles of one machine', () => {
  it('close when another client connects', async () => {
    await vms.running('one');
    const first = await consoles.open('one');
    await first.logIn();
    const second = await consoles.open('one');
    expect(await first.closed()).toBe(1006);
    // The login remains, because the serial line has no sessions.
    expect(await second.command('whoami', '# ')).toBe('whoami\r\nroot\r\nroot@one:~# ');
    const third = await consoles.open('one');
    expect(await second.closed()).toBe(1006);
    await third.command('', '# ');
    expect(third.isOpen).toBe(true);
  });

  // The simulated nodes of the real KubeVirt cannot migrate guests.
  if (standIns.kubeVirt.canMigrate)
    it('close at a live migration', async () => {
      const before = await vms.running('moves');
      const console = await consoles.open('moves');
      await console.logIn();
      expect(await vms.put('virtualmachines/moves/migrate', {})).toBe('202');
      expect(await console.closed()).toBe(1006);
      const after = await vms.until('moves', ({ vmi }) => vmi?.status?.nodeName !== before.status?.nodeName);
      expect(after.vmi?.metadata.uid).toBe(before.metadata.uid);
      const there = await consoles.open('moves');
      await there.command('whoami', 'root@moves:~# ');
    });

  it('are unavailable on a lost node', async () => {
    const { status } = await vms.running('lost');
    await standIns.kubeVirt.loseNode(status?.nodeName ?? '');
    const { answer } = await consoles.refusal('lost');
    expect(answer.body).toMatchObject({
      code: 500,
      message: expect.stringMatching(
        /^Internal error occurred: dial tcp [\d.:]+: connect: connection refused$/,
      ) as unknown,
    });
    await standIns.kubeVirt.recoverNode(status?.nodeName ?? '');
    await (await consoles.open('lost')).logIn();
  });
});

describe('much data', () => {
  it('a pasted megabyte is complete', async () => {
    await vms.running('paste');
    const console = await consoles.open('paste');
    await console.logIn();
    const line = `echo ${'x'.repeat(1000)}\r`;
    const lines = Math.ceil(1_000_000 / line.length);
    const before = console.text.length;
    console.type(`${line.repeat(lines)}echo done\r`);
    await console.until('\r\ndone\r\nroot@paste:~# ');
    // Each line is written back, answered, and followed by a prompt.
    const each = 'echo '.length + 1000 + 2 + 1000 + 2 + 'root@paste:~# '.length;
    const last = 'echo done\r\ndone\r\nroot@paste:~# '.length;
    expect(console.text.length - before).toBe(lines * each + last);
  });

  it('a slow reader delays no other console and loses no data', async () => {
    await Promise.all([vms.running('slow'), vms.running('quick')]);
    const slow = await consoles.open('slow');
    await slow.logIn();
    const before = slow.text.length;
    slow.pause();
    slow.type('dmesg\r'.repeat(2000));
    const quick = await consoles.open('quick');
    await quick.logIn();
    slow.resume();
    await slow.command('echo over', '\r\nover\r\nroot@slow:~# ');
    expect(slow.text.slice(before).split('Hostname set to <slow>').length - 1).toBe(2000);
  });
});
