import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { Consoles, type Console } from '../../../../test/harness/scenes/consoles.ts';
import { VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
const standIns = await world.standIns({ parts: ['kubevirt'], bootTime: 100, kubeVirt: { shutdownTime: 60 } });
const namespace = await world.namespace();
const vms = new VirtualMachines(world, namespace);
const consoles = await Consoles.prepare(world, namespace);

describe('consoles of one machine', () => {
  it('are one at a time: whoever comes takes it from whoever has it', async () => {
    await vms.running('one');
    const first = await consoles.open('one');
    await first.logIn();
    const second = await consoles.open('one');
    expect(await first.closed()).toBe(1006);
    // Who was logged in still is: the serial line knows nothing of sessions.
    expect(await second.command('whoami', '# ')).toBe('whoami\r\nroot\r\nroot@one:~# ');
    const third = await consoles.open('one');
    expect(await second.closed()).toBe(1006);
    await third.command('', '# ');
    expect(third.isOpen).toBe(true);
  });

  it('are one at a time however many come at once', async () => {
    await vms.running('rush');
    const rush = await Promise.all(Array.from({ length: 10 }, () => consoles.open('rush')));
    await expect.poll(() => rush.filter(({ isOpen }) => isOpen).length).toBe(1);
    const [last] = rush.filter(({ isOpen }) => isOpen);
    await last?.logIn();
  });

  // The simulated nodes of the real KubeVirt move no guest.
  if (standIns.kubeVirt.canMigrate)
    it('end when the machine moves to another node; it goes on there', async () => {
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

  it('are out of reach on a node that is lost', async () => {
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

describe('much at once', () => {
  it('a megabyte that is pasted is taken in whole', async () => {
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

  it('a reader that does not read holds nobody up, and loses nothing of what it has typed for', async () => {
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

  it('twenty consoles of twenty machines', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `many-${index}`);
    await Promise.all(names.map((name) => vms.running(name)));
    const open: Console[] = await Promise.all(names.map((name) => consoles.open(name)));
    await Promise.all(open.map((console) => console.logIn()));
    const answers = await Promise.all(open.map((console) => console.command('hostname', '# ')));
    expect(answers).toEqual(names.map((name) => `hostname\r\n${name}\r\nroot@${name}:~# `));
  });
});
