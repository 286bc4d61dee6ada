import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { Consoles } from '../../../../test/harness/scenes/consoles.ts';
import { lineOf, VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
await world.standIns({ parts: ['kubevirt'], bootTime: 100, kubeVirt: { shutdownTime: 60 } });
const namespace = await world.namespace();
const vms = new VirtualMachines(world, namespace);
const consoles = await Consoles.prepare(world, namespace);

const PLAIN = 'plain.kubevirt.io';

beforeAll(async () => {
  await Promise.all([vms.running('up'), vms.stopped('off')]);
});

describe('a console', () => {
  it("is a WebSocket with virtctl's subprotocol", async () => {
    const console = await consoles.open('up');
    expect(console.protocol).toBe(PLAIN);
    console.close();
    expect(await console.closed()).toBe(1005);
  });
});

describe('a console is refused', () => {
  const status = (code: number, reason: string, message: string, details?: object) => ({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code,
    reason,
    message,
    ...(details === undefined ? {} : { details }),
  });

  it('without an instance', async () => {
    const { answer } = await consoles.refusal('off');
    expect([answer.status, answer.headers['content-type']]).toEqual([404, 'application/json']);
    const message = 'virtualmachineinstance.kubevirt.io "off" not found';
    const details = { name: 'off', group: 'kubevirt.io', kind: 'virtualmachineinstance' };
    expect(answer.body).toMatchObject(without(status(404, 'NotFound', message, details)));
  });

  it('before the guest runs', async () => {
    const slow = { metadata: { annotations: { 'sandbox.kubevirt.io/boot-time': '60000' } } };
    await vms.create('early', { runStrategy: 'Always' }, slow);
    await vms.until('early', ({ vmi }) => vmi?.status?.phase === 'Scheduling');
    const { answer } = await consoles.refusal('early');
    expect(answer.body).toMatchObject(without(status(400, 'BadRequest', 'VMI is not running')));
    expect(answer.status).toBe(400);
  });

  it('after a crash of the guest', async () => {
    await vms.running('crashed', 'Manual');
    const console = await consoles.open('crashed');
    await console.logIn();
    await console.command('crash', 'Kernel panic - not syncing');
    expect(await console.closed()).toBe(1006);
    await vms.until('crashed', ({ vmi }) => vmi?.status?.phase === 'Failed');
    expect(lineOf((await consoles.refusal('crashed')).answer)).toBe(
      '409 Conflict: Operation cannot be fulfilled on virtualmachineinstance.kubevirt.io "crashed": VMI is in failed status',
    );
  });

  it('without a serial port', async () => {
    const devices = { disks: [], interfaces: [], autoattachSerialConsole: false };
    await vms.running('mute', 'Always', { domain: { devices }, spec: { networks: [], volumes: [] } });
    expect(lineOf((await consoles.refusal('mute')).answer)).toBe('400 BadRequest: No serial consoles are present.');
  });

  it('without a valid token', async () => {
    for (const token of ['nonsense', undefined]) {
      const { answer } = await consoles.refusal('up', { token });
      expect(answer.status === 401 || answer.status === 403).toBe(true);
    }
    const protocols = [`base64url.bearer.authorization.k8s.io.${base64url('nonsense')}`, PLAIN];
    expect(lineOf((await consoles.refusal('up', { token: undefined, protocols })).answer)).toBe(
      '401 Unauthorized: Unauthorized',
    );
  });

  it('without a WebSocket', async () => {
    const { status: code, headers, body } = await vms.answer('GET', 'virtualmachineinstances/up/console');
    expect([code, headers['content-type']]).toEqual([400, 'text/plain; charset=utf-8']);
    expect(body).toMatch(/^Bad Request\n/);
    expect(body).toContain('the client is not using the websocket protocol');
    expect(await vms.subresource('GET', 'virtualmachineinstances/off/console')).toBe(
      '404 NotFound: virtualmachineinstance.kubevirt.io "off" not found',
    );
  });
});

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** Only the real KubeVirt has `metadata` in virt-api's own Status. */
function without({ metadata: _metadata, ...status }: { metadata: object }): object {
  return status;
}
