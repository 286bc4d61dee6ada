import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { repository } from '../../../../test/harness/repository.ts';
import { Consoles } from '../../../../test/harness/scenes/consoles.ts';
import { screenOf, startVncProxy, takeScreenshot } from '../../../../test/harness/scenes/screens.ts';
import { lineOf, VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';
import { findTool, needs } from '../../../../test/tools/index.ts';

const world = await cluster();
await world.standIns({ parts: ['kubevirt'], bootTime: 100, kubeVirt: { shutdownTime: 60 } });
const namespace = await world.namespace();
const vms = new VirtualMachines(world, namespace);
const consoles = await Consoles.prepare(world, namespace);

const run = promisify(execFile);
const RFB = 'RFB 003.008\n';

beforeAll(async () => {
  await Promise.all([vms.running('up'), vms.stopped('off')]);
});

async function screenshot(name: string): Promise<Buffer> {
  const { status, type, body } = await takeScreenshot(world, consoles, namespace, name);
  expect([status, type]).toEqual([200, 'image/png']);
  return body;
}

/** The screen of a guest that has booted and is quiet. */
async function stillScreenshot(name: string): Promise<Buffer> {
  const console = await consoles.open(name);
  await console.command('', 'login: ');
  console.close();
  return await screenshot(name);
}

describe('a screen', () => {
  it('is a WebSocket with an RFB server', async () => {
    const screen = await consoles.open('up', screenOf('up'));
    expect(screen.protocol).toBe('plain.kubevirt.io');
    await screen.until(RFB);
    screen.type(`${RFB}\x01\x01`);
    // The name of the desktop, at the end of ServerInit.
    await screen.until(`QEMU (${namespace}_up)`);
    expect(screen.isBinary).toBe(true);
    screen.close();
    expect(await screen.closed()).toBe(1005);
  });

  it('has one client: a new one ends the session of the other, unless it preserves it', async () => {
    const first = await consoles.open('up', screenOf('up'));
    await first.until(RFB);
    const second = await consoles.open('up', screenOf('up'));
    expect(await first.closed()).toBe(1006);
    await second.until(RFB);
    const { answer } = await consoles.refusal('up', screenOf('up', '?preserveSession=true'));
    expect(lineOf(answer)).toMatch(/^500 InternalError: .*\(503\)/);
    expect(second.isOpen).toBe(true);
    second.close();
    await second.closed();
    const third = await eventually(() => consoles.open('up', screenOf('up', '?preserveSession=true')));
    await third.until(RFB);
    third.close();
  });

  it('ends the session of a client that does not speak RFB', async () => {
    const screen = await consoles.open('up', screenOf('up'));
    await screen.until(RFB);
    screen.type('GET / HTTP/1.1\r\n');
    expect(await screen.closed()).toBe(1006);
  });

  it('is apart from the serial console', async () => {
    const serial = await consoles.open('up');
    const screen = await consoles.open('up', screenOf('up'));
    await screen.until(RFB);
    await serial.command('', 'login: ');
    expect([serial.isOpen, screen.isOpen]).toEqual([true, true]);
    for (const each of [serial, screen]) each.close();
  });
});

describe('independent clients', needs('vncsnapshot', 'asyncvnc'), () => {
  it('see what the screenshot shows, and what they type arrives in the guest', async () => {
    await vms.running('watched');
    const folder = await mkdtemp(join(tmpdir(), 'groundcrew-vnc-'));
    const proxy = await startVncProxy(consoles, 'watched');
    try {
      const files = { png: join(folder, 'screen.png'), jpeg: join(folder, 'screen.jpg') };
      await writeFile(files.png, await stillScreenshot('watched'));
      const how = ['-quiet', '-encodings', 'hextile copyrect', '-nojpeg', '-quality', '100'];
      await run(findTool('vncsnapshot') ?? '', [...how, `127.0.0.1::${proxy.port}`, files.jpeg]);
      const serial = await consoles.open('watched');
      const program = join(repository, 'test/tools/python/vnc_client.py');
      const python = findTool('asyncvnc') ?? '';
      const { stdout } = await run(python, [program, String(proxy.port), files.png, files.jpeg, 'root']);
      const { name, size, different, snapshot, most } = JSON.parse(stdout) as Record<string, unknown>;
      expect({ name, size, different, snapshot }).toEqual({
        name: `QEMU (${namespace}_watched)`,
        size: [640, 400],
        different: 0,
        snapshot: [640, 400],
      });
      expect(most).toBeLessThan(16);
      await serial.until('root@watched:~# ');
      await run(python, [program, String(proxy.port), '--restart']);
      await serial.until('reboot: Restarting system');
      await serial.until('watched login: ');
    } finally {
      await proxy.close();
      await rm(folder, { recursive: true });
    }
  });
});

describe('a screen is refused', () => {
  const answers = async (name: string): Promise<string[]> => {
    const { answer } = await consoles.refusal(name, screenOf(name));
    const { status, type, body } = await takeScreenshot(world, consoles, namespace, name);
    return [lineOf(answer), `${status} ${type} ${body.toString().trim()}`];
  };
  const failure = (message: string): string => `500 text/plain; charset=utf-8 ${message}`;

  it('without an instance', async () => {
    const message = 'virtualmachineinstance.kubevirt.io "off" not found';
    expect(await answers('off')).toEqual([`404 NotFound: ${message}`, failure(message)]);
  });

  it('before the guest runs', async () => {
    const slow = { metadata: { annotations: { 'sandbox.kubevirt.io/boot-time': '60000' } } };
    await vms.create('early', { runStrategy: 'Always' }, slow);
    await vms.until('early', ({ vmi }) => vmi?.status?.phase === 'Scheduling');
    expect(await answers('early')).toEqual(['400 BadRequest: VMI is not running', failure('VMI is not running')]);
  });

  it('without a graphics device', async () => {
    const devices = { disks: [], interfaces: [], autoattachGraphicsDevice: false };
    await vms.running('headless', 'Always', { domain: { devices }, spec: { networks: [], volumes: [] } });
    const message = 'No graphics devices are present.';
    expect(await answers('headless')).toEqual([`400 BadRequest: ${message}`, failure(message)]);
  });

  it('without a WebSocket', async () => {
    const { status, body } = await vms.answer('GET', 'virtualmachineinstances/up/vnc');
    expect(status).toBe(400);
    expect(body).toContain('the client is not using the websocket protocol');
  });
});
