import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { VIRTUAL_MACHINE_INSTANCES } from '../../../api/index.ts';
import type { Kind, KubeObject } from '@groundcrew/controller-runtime';
import { eventually } from '../../harness/eventually.ts';
import { ipmitool, startSandbox, type Sandbox, type SandboxBmc } from '../../harness/sandbox/index.ts';
import { Terminal } from '../../harness/terminal.ts';
import { findTool, needs } from '../../tools/index.ts';

const MIGRATIONS: Kind<KubeObject & { spec: { vmiName: string } }> = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineInstanceMigration',
  plural: 'virtualmachineinstancemigrations',
  namespaced: true,
};

const TOOLS = ['ipmitool', 'ipmiconsole', 'script'] as const;
const OPERATIONAL = '[SOL Session operational.  Use ~? for help]';
const PROMPT = 'root@vm-1:~# ';

describe('serial over LAN with real clients', needs(...TOOLS), () => {
  let sandbox: Sandbox;
  let bmc: SandboxBmc;
  const terminals: Terminal[] = [];

  beforeAll(async () => {
    // Output without a connection is lost: a long boot lets the agent connect before the line of the boot device.
    sandbox = await startSandbox({ vms: 1, args: ['--boot-time=5s'] });
    const [first] = sandbox.bmcs;
    if (first === undefined) throw new Error('the sandbox has no BMC');
    bmc = first;
  });
  afterEach(async () => {
    for (const terminal of terminals.splice(0)) await terminal.close();
    await ipmitool(bmc, 'sol deactivate');
  });
  afterAll(async () => {
    await sandbox.close();
  });

  function at(command: string): Terminal {
    const terminal = new Terminal(command);
    terminals.push(terminal);
    return terminal;
  }

  /** The command that the sandbox prints. */
  function activate(): Terminal {
    const line = sandbox
      .output()
      .replaceAll(/ \\\n +/g, ' ')
      .split('\n')
      .find((text) => text.endsWith(' sol activate'));
    return at((line ?? '').trim().replace(/^ipmitool/, findTool('ipmitool') ?? ''));
  }

  /** A session with a shell of the guest. */
  async function atPrompt(): Promise<Terminal> {
    const console = activate();
    await console.until(OPERATIONAL);
    console.type('\r');
    await console.until(PROMPT);
    return console;
  }

  it('shows the boot of a machine from its firmware on, and accepts input', async () => {
    const console = activate();
    await console.until(OPERATIONAL);
    await console.until('[the machine is off; its console comes when it is on]');
    expect((await ipmitool(bmc, 'chassis power on')).code).toBe(0);
    await console.until('Booting from Hard Disk...');
    await console.until('Linux version');
    await console.until('vm-1 login: ');
    console.type('root\r');
    await console.until(PROMPT);
    console.type('uname\r');
    expect(await console.until(PROMPT)).toBe(`uname\r\nLinux\r\n${PROMPT}`);
    console.type('\r~.');
    await console.until('~. [terminated ipmitool]');
    expect([await console.ended(), console.stderr]).toEqual([0, '']);
  });

  it('transfers large output completely and in order', async () => {
    const console = await atPrompt();
    console.type('dmesg\r');
    const shown = await console.until(PROMPT);
    expect(shown.length).toBeGreaterThan(1_000);
    console.type('dmesg\r');
    expect(await console.until(PROMPT)).toBe(shown);
  });

  it('is exclusive to one client until another one deactivates it', async () => {
    const console = activate();
    await console.until(OPERATIONAL);
    const other = activate();
    expect(await other.ended()).toBe(1);
    expect(other.stderr).toContain('Info: SOL payload already active on another session');
    expect(await ipmitool(bmc, 'sol deactivate')).toMatchObject({ code: 0, stderr: '' });
    await console.until('[admin has ended serial over LAN]');
    expect(await ipmitool(bmc, 'sol deactivate')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Info: SOL payload already de-activated') as string,
    });
    await atPrompt();
  });

  it('tells ipmiconsole that another client took the console', async () => {
    const console = at(ipmiconsole());
    await console.until('[SOL established]');
    await ipmitool(bmc, 'sol deactivate');
    await console.until('[SOL session stolen]');
  });

  it('stays open during a live migration without a message', async () => {
    const { namespace, virtualMachine } = bmc;
    const nodeName = async (): Promise<string | undefined> =>
      (await sandbox.client.get(VIRTUAL_MACHINE_INSTANCES, { namespace, name: virtualMachine })).status?.nodeName;
    const console = await atPrompt();
    const from = await nodeName();
    await sandbox.client.create(MIGRATIONS, {
      ...{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstanceMigration' },
      metadata: { namespace, name: 'away' },
      spec: { vmiName: virtualMachine },
    });
    await eventually(async () => {
      expect(await nodeName()).not.toBe(from);
    });
    const moved = console.text.length;
    // Input during the migration may be lost with the old node.
    await eventually(
      () => {
        if (console.text.includes('\r\nLinux\r\n', moved)) return;
        console.type('uname\r');
        throw new Error(`the guest does not answer: ${console.text.slice(moved)}`);
      },
      { interval: 1_000, timeout: 20_000 },
    );
    expect(console.text).not.toMatch(/^\[[a-z]/m);
  });

  it('is available to the next client after one died during output', async () => {
    const console = await atPrompt();
    console.type('dmesg\r');
    await console.until('dmesg');
    await console.kill();
    // Longer than all retransmissions of unacknowledged output by the BMC.
    await setTimeout(5_000);
    expect(await ipmitool(bmc, 'sol deactivate')).toMatchObject({ code: 0, stderr: '' });
    expect(await ipmitool(bmc, 'chassis power status')).toMatchObject({ code: 0, stdout: 'Chassis Power is on\n' });
    await atPrompt();
  });

  it('stays open through a power cycle and a reset', async () => {
    const console = await atPrompt();
    expect((await ipmitool(bmc, 'chassis power cycle')).code).toBe(0);
    await console.until('Booting from Hard Disk...');
    await console.until('vm-1 login: ');
    expect((await ipmitool(bmc, 'chassis power reset')).code).toBe(0);
    await console.until('Booting from Hard Disk...');
    await console.until('vm-1 login: ');
    console.type('root\r');
    await console.until(PROMPT);
    console.type('\r~.');
    expect([await console.ended(), console.stderr]).toEqual([0, '']);
  });

  function ipmiconsole(): string {
    const { host, port } = bmc.ipmi;
    return `${findTool('ipmiconsole') ?? ''} -h ${host}:${port} -u ${bmc.username} -p '${bmc.password}'`;
  }
});
