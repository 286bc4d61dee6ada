import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { kubeconfigYaml } from '@groundcrew/apiserver';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { groundcrew } from '../../../../test/harness/stand-ins.ts';
import { Consoles } from '../../../../test/harness/scenes/consoles.ts';
import { VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
await world.standIns({ parts: ['kubevirt'], bootTime: 100, kubeVirt: { shutdownTime: 60 } });
const namespace = await world.namespace();
const vms = new VirtualMachines(world, namespace);
const consoles = await Consoles.prepare(world, namespace);
const folder = mkdtempSync(join(tmpdir(), 'groundcrew-test-'));
const kubeconfig = join(folder, 'kubeconfig');
const { server, ca } = world;
writeFileSync(kubeconfig, kubeconfigYaml({ server, ca, token: consoles.token, contextName: 'test' }), { mode: 0o600 });

afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** `groundcrew console`, with an input that is not a terminal. */
function run(args: string[]): {
  type: (input: string) => void;
  said: (text: string) => Promise<void>;
  ended: Promise<Ended>;
} {
  const [program, ...rest] = groundcrew;
  const child = spawn(program, [...rest, 'console', ...args, '-n', namespace, '--kubeconfig', kubeconfig]);
  // It may end during input.
  child.stdin.on('error', () => undefined);
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const ended = Promise.all([exit, text(child.stdout), text(child.stderr)]);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return {
    type: (input) => child.stdin.write(input),
    said: async (wanted) => {
      await eventually(
        () => {
          expect(stderr).toContain(wanted);
        },
        // On a busy machine a process takes seconds to start.
        { timeout: 20_000 },
      );
    },
    ended: ended.then(([code, stdout, stderr]) => ({ code, stdout, stderr })),
  };
}

describe('groundcrew console', () => {
  it('sends input, shows output, and ends with the machine', async () => {
    await vms.running('typed', 'Manual');
    // Input before the end of the boot is lost.
    const first = await consoles.open('typed');
    await first.logIn();
    const command = run(['typed']);
    command.type('whoami\npoweroff\n');
    const { code, stdout, stderr } = await command.ended;
    expect(stdout).toMatch(/^whoami\r\nroot\r\n[^]*reboot: Power down\r\n$/);
    expect(stderr).toBe(
      'Connected to the console of typed. Ctrl-] leaves it; Enter brings a prompt.\n\ntyped is off.\n',
    );
    expect(code).toBe(0);
  });

  it('waits for a stopped machine and shows its boot', async () => {
    const template = { metadata: { annotations: { 'sandbox.kubevirt.io/boot-time': '3000' } } };
    await vms.stopped('later', 'Manual', template);
    const command = run(['later']);
    await command.said('later does not run yet');
    await vms.put('virtualmachines/later/start');
    await vms.untilRunning('later');
    // The boot ends with the login prompt.
    const typing = setInterval(() => {
      command.type('root\npoweroff\n');
    }, 500);
    const { code, stdout } = await command.ended.finally(() => {
      clearInterval(typing);
    });
    expect(stdout).toMatch(/Hostname set to <later>[^]*later login: [^]*reboot: Power down\r\n$/);
    expect(code).toBe(0);
  });

  it('ends with a message when another client connects', async () => {
    await vms.running('taken', 'Manual');
    const first = await consoles.open('taken');
    const command = run(['taken']);
    expect(await first.closed()).toBe(1006);
    await consoles.open('taken');
    const { code, stderr } = await command.ended;
    expect(stderr).toContain('The console was closed: another client has opened it');
    expect(code).toBe(1);
  });

  it('lists the machines if the name is unknown', async () => {
    await vms.stopped('there', 'Manual');
    const { code, stderr } = await run(['nowhere']).ended;
    expect(stderr).toMatch(
      new RegExp(`^There is no virtual machine nowhere in namespace ${namespace}\\. It has .*\n$`),
    );
    expect(code).toBe(1);
  });

  it('ends after its timeout', async () => {
    await vms.stopped('never', 'Manual');
    const { code, stderr } = await run(['never', '--timeout', '3s']).ended;
    expect(stderr).toMatch(/never does not run yet[^]*\nnever does not run\.\n$/);
    expect(code).toBe(1);
  });

  it("shows KubeVirt's message if there is no console", async () => {
    const devices = { disks: [], interfaces: [], autoattachSerialConsole: false };
    await vms.running('mute', 'Manual', { domain: { devices }, spec: { networks: [], volumes: [] } });
    const { code, stderr } = await run(['mute']).ended;
    expect(stderr).toBe('There is no console: No serial consoles are present.\n');
    expect(code).toBe(1);
  });
});
