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

describe('a console that is asked for', () => {
  it('is a WebSocket with the subprotocol that virtctl asks for', async () => {
    const console = await consoles.open('up');
    expect(console.protocol).toBe(PLAIN);
    console.close();
    expect(await console.closed()).toBe(1005);
  });

  it.each([
    ['none', []],
    ['another one', ['v4.channel.k8s.io']],
  ])('has no subprotocol where %s is asked for', async (_, protocols) => {
    const refused = consoles.open('up', { protocols }).then(
      (console) => {
        const { protocol } = console;
        console.close();
        return protocol;
      },
      // What was asked for and is not answered is the client's to refuse.
      (error: unknown) => String(error),
    );
    expect(await refused).toBe(protocols.length === 0 ? '' : 'Error: Server sent no subprotocol');
  });

  it('takes a token as browsers send it', async () => {
    const protocols = [`base64url.bearer.authorization.k8s.io.${base64url(consoles.token)}`, PLAIN];
    const console = await consoles.open('up', { token: undefined, protocols });
    expect(console.protocol).toBe(PLAIN);
    console.close();
  });

  it.each(['v1', 'v1alpha3'])('is there in %s of the API', async (version) => {
    const console = await consoles.open('up', { version });
    expect(console.isOpen).toBe(true);
    console.close();
  });

  it('is discovered in both versions', async () => {
    const { body } = await world.http('GET', '/apis/subresources.kubevirt.io');
    expect(body).toMatchObject({
      kind: 'APIGroup',
      versions: [{ version: 'v1' }, { version: 'v1alpha3' }],
      preferredVersion: { version: 'v1' },
    });
    for (const version of ['v1', 'v1alpha3']) {
      const list = await world.http('GET', `/apis/subresources.kubevirt.io/${version}`);
      expect(JSON.stringify(list.body)).toContain('"virtualmachineinstances/console"');
    }
  });
});

describe('a console that is refused', () => {
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

  it('while the guest does not run yet', async () => {
    const slow = { metadata: { annotations: { 'sandbox.kubevirt.io/boot-time': '60000' } } };
    await vms.create('early', { runStrategy: 'Always' }, slow);
    await vms.until('early', ({ vmi }) => vmi?.status?.phase === 'Scheduling');
    const { answer } = await consoles.refusal('early');
    expect(answer.body).toMatchObject(without(status(400, 'BadRequest', 'VMI is not running')));
    expect(answer.status).toBe(400);
  });

  it('once the guest has powered itself off', async () => {
    await vms.running('ended', 'Manual');
    const console = await consoles.open('ended');
    await console.logIn();
    console.type('poweroff\r');
    await vms.until('ended', ({ vmi }) => vmi?.status?.phase === 'Succeeded');
    expect(lineOf((await consoles.refusal('ended')).answer)).toBe('400 BadRequest: VMI is not running');
  });

  it('once the guest has crashed', async () => {
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

  it('where the machine has no serial port, running or not', async () => {
    const devices = { disks: [], interfaces: [], autoattachSerialConsole: false };
    await vms.running('mute', 'Always', { domain: { devices }, spec: { networks: [], volumes: [] } });
    expect(lineOf((await consoles.refusal('mute')).answer)).toBe('400 BadRequest: No serial consoles are present.');
  });

  it('without a token that is good', async () => {
    for (const token of ['nonsense', undefined]) {
      const { answer } = await consoles.refusal('up', { token });
      expect(answer.status === 401 || answer.status === 403).toBe(true);
    }
    const protocols = [`base64url.bearer.authorization.k8s.io.${base64url('nonsense')}`, PLAIN];
    expect(lineOf((await consoles.refusal('up', { token: undefined, protocols })).answer)).toBe(
      '401 Unauthorized: Unauthorized',
    );
  });

  it('with a token for browsers and no subprotocol to answer with', async () => {
    const protocols = [`base64url.bearer.authorization.k8s.io.${base64url(consoles.token)}`];
    expect((await consoles.refusal('up', { token: undefined, protocols })).answer.status).toBe(401);
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

  it('by another method', async () => {
    expect(await vms.put('virtualmachineinstances/up/console')).toBe('405 405: Method Not Allowed');
  });

  it('with what is not there: a screen', async () => {
    const { answer } = await consoles.refusal('up', { subresource: 'virtualmachineinstances/up/vnc' });
    // The simulator serves no screens; of the real KubeVirt the simulated node does not.
    expect(lineOf(answer)).toMatch(/^501 .*virtualmachineinstances\/vnc|^500 InternalError: /);
  });
});

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** virt-api's own Status has `metadata` in KubeVirt alone. */
function without({ metadata: _metadata, ...status }: { metadata: object }): object {
  return status;
}
