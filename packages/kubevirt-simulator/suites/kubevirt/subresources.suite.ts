import { beforeAll, describe, expect, it } from 'vitest';
import { PODS } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { isOff, isReady, VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
const asked: string[] = [];
await world.standIns({
  parts: ['kubevirt'],
  bootTime: 60,
  kubeVirt: {
    shutdownTime: 60,
    onGuestRequest: (request, { name }) => asked.push(`${request} ${name}`),
  },
});
const vms = new VirtualMachines(world, await world.namespace());

const VM = (name: string, why: string): string =>
  `409 Conflict: Operation cannot be fulfilled on virtualmachine.kubevirt.io "${name}": ${why}`;
const VMI = (name: string, why: string): string =>
  `409 Conflict: Operation cannot be fulfilled on virtualmachineinstance.kubevirt.io "${name}": ${why}`;
const UNREADABLE = '400 BadRequest: Can not unmarshal Request body to struct, error: ';

const slow = { metadata: { annotations: { 'sandbox.kubevirt.io/boot-time': '600000' } } };
const agent = { metadata: { annotations: { 'sandbox.kubevirt.io/guest-agent': 'true' } } };

beforeAll(async () => {
  await Promise.all([
    vms.stopped('off'),
    vms.running('on'),
    vms.running('agent', 'Always', agent),
    vms.create('scheduling', { runStrategy: 'Always' }, slow),
  ]);
  await vms.until('scheduling', ({ vmi }) => vmi?.status?.phase === 'Scheduling');
});

describe('an unknown VM or instance', () => {
  it.each([
    ['PUT', 'virtualmachines/nope/start', '404 NotFound: virtualmachine.kubevirt.io "nope" not found'],
    ['PUT', 'virtualmachines/nope/stop', '404 NotFound: virtualmachine.kubevirt.io "nope" not found'],
    ['PUT', 'virtualmachines/nope/restart', '404 NotFound: virtualmachine.kubevirt.io "nope" not found'],
    ['PUT', 'virtualmachines/nope/migrate', '404 NotFound: virtualmachine.kubevirt.io "nope" not found'],
    ['PUT', 'virtualmachines/off/migrate', '404 NotFound: virtualmachineinstance.kubevirt.io "off" not found'],
    ...['pause', 'unpause', 'softreboot', 'reset'].map((verb): [string, string, string] => [
      'PUT',
      `virtualmachineinstances/off/${verb}`,
      '404 NotFound: virtualmachineinstance.kubevirt.io "off" not found',
    ]),
    ['GET', 'virtualmachineinstances/off/guestosinfo', '500 virtualmachineinstance.kubevirt.io "off" not found'],
  ] as const)('%s %s', async (method, path, answer) => {
    expect(await vms.subresource(method as 'PUT' | 'GET', path)).toBe(answer);
  });
});

describe('request bodies', () => {
  it.each([
    ['virtualmachines/off/start', { paused: 'x' }],
    ['virtualmachines/on/stop', { gracePeriod: 'x' }],
    ['virtualmachines/on/restart', { dryRun: 'All' }],
    ['virtualmachineinstances/on/pause', { dryRun: true }],
  ])('PUT %s with %j', async (path, body) => {
    expect(await vms.put(path, body)).toContain(UNREADABLE);
  });

  it('of a restart permit only the grace period 0', async () => {
    const only = '400 BadRequest: For force restart, only gracePeriod=0 is supported for now';
    expect(await vms.put('virtualmachines/on/restart', { gracePeriodSeconds: 5 })).toBe(only);
    expect(await vms.put('virtualmachines/on/restart', { gracePeriodSeconds: -1 })).toBe(
      '400 BadRequest: gracePeriod has to be greater or equal to 0',
    );
  });

  it('of a dry run change nothing', async () => {
    const dryRun = { dryRun: ['All'] };
    const before = await vms.see('on');
    expect(await vms.put('virtualmachines/off/start', dryRun)).toBe('202');
    expect(await vms.put('virtualmachines/on/restart', dryRun)).toBe('202');
    expect(await vms.put('virtualmachines/on/stop', { ...dryRun, gracePeriod: 1 })).toBe('202');
    expect(await vms.put('virtualmachineinstances/on/pause', dryRun)).toBe('200');
    const after = await vms.see('on');
    expect([after.vm.metadata.resourceVersion, after.vmi?.metadata.resourceVersion]).toEqual([
      before.vm.metadata.resourceVersion,
      before.vmi?.metadata.resourceVersion,
    ]);
    expect((await vms.vm('off')).status?.stateChangeRequests).toBeUndefined();
  });
});

describe('start', () => {
  it.each(['Manual', 'Halted'])(
    'of a %s VM, paused, leaves the guest paused until it is unpaused',
    async (strategy) => {
      const name = `paused-${strategy.toLowerCase()}`;
      await vms.stopped(name, strategy);
      expect(await vms.put(`virtualmachines/${name}/start`, { paused: true })).toBe('202');
      const { vm, vmi } = await vms.until(name, ({ vm }) => vm.status?.printableStatus === 'Paused');
      expect(vm.spec.runStrategy).toBe(strategy === 'Halted' ? 'Always' : strategy);
      expect(vm.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Paused', reason: 'PausedByUser' }));
      expect(vmi?.spec).toMatchObject({ startStrategy: 'Paused' });
      expect(await vms.put(`virtualmachineinstances/${name}/unpause`)).toBe('200');
      await vms.untilRunning(name);
    },
  );
});

describe('stop', () => {
  const deaf = { metadata: { annotations: { 'sandbox.kubevirt.io/shutdown-time': '600000' } } };

  it('lets the guest shut down, and a second stop without grace period ends it', async () => {
    await vms.running('deaf', 'Manual', deaf);
    expect(await vms.put('virtualmachines/deaf/stop')).toBe('202');
    await vms.until('deaf', ({ vm }) => vm.status?.printableStatus === 'Stopping');
    expect(await vms.put('virtualmachines/deaf/stop')).toBe('202');
    expect(await vms.put('virtualmachines/deaf/stop', { gracePeriod: 0 })).toBe('202');
    await vms.until('deaf', isOff);
  });

  it('of a Halted VM requires a shorter grace period', async () => {
    await vms.running('hurry', 'Always', { ...deaf, spec: { terminationGracePeriodSeconds: 600 } });
    expect(await vms.put('virtualmachines/hurry/stop')).toBe('202');
    await vms.until('hurry', ({ vm }) => vm.status?.printableStatus === 'Stopping');
    const shorter = VM('hurry', 'Halted only supports manual stop requests with a shorter graceperiod');
    expect(await vms.put('virtualmachines/hurry/stop')).toBe(shorter);
    expect(await vms.put('virtualmachines/hurry/stop', { gracePeriod: 600 })).toBe(shorter);
    expect(await vms.put('virtualmachines/hurry/stop', { gracePeriod: 0 })).toBe('202');
    await vms.until('hurry', isOff);
  });
});

describe('restart', () => {
  it('is refused without a guest', async () => {
    expect(await vms.put('virtualmachines/off/restart')).toBe(VM('off', 'VM is not running: Halted'));
    expect(await vms.put('virtualmachines/off/stop')).toBe(VM('off', 'VM is not running'));
  });

  it('creates another instance and pod, at once if forced', async () => {
    const deaf = { metadata: { annotations: { 'sandbox.kubevirt.io/shutdown-time': '600000' } } };
    const first = await vms.running('forced', 'Manual', deaf);
    const [pod] = await podsOf('forced');
    expect(await vms.put('virtualmachines/forced/restart', { gracePeriodSeconds: 0 })).toBe('202');
    await vms.untilRunning('forced', first);
    const [next, ...others] = await eventually(async () => {
      const pods = await podsOf('forced');
      expect(pods).not.toContain(pod);
      return pods;
    });
    expect([next, others]).toEqual([expect.stringMatching(/^virt-launcher-forced-/), []]);
  });
});

async function podsOf(name: string): Promise<string[]> {
  const labelSelector = `vm.kubevirt.io/name=${name}`;
  const { items } = await world.client.list(PODS, { namespace: vms.namespace, labelSelector });
  return items.map(({ metadata }) => metadata.name);
}

describe('pause and unpause', () => {
  it('reverse each other', async () => {
    await vms.running('pause');
    expect(await vms.put('virtualmachineinstances/pause/unpause', {})).toBe(VMI('pause', 'VMI is not paused'));
    expect(await vms.put('virtualmachineinstances/pause/pause', {})).toBe('200');
    await vms.until('pause', ({ vm }) => vm.status?.printableStatus === 'Paused');
    expect(await vms.put('virtualmachineinstances/pause/pause', {})).toBe(VMI('pause', 'VMI is already paused'));
    expect(await vms.put('virtualmachineinstances/pause/softreboot')).toBe(VMI('pause', 'VMI is paused'));
    expect(await vms.put('virtualmachineinstances/pause/reset')).toBe('200');
    expect(await vms.put('virtualmachineinstances/pause/unpause', {})).toBe('200');
    await vms.until('pause', isReady);
  });

  it('are refused for a guest with a liveness probe', async () => {
    await vms.running('probed', 'Always', { spec: { livenessProbe: { tcpSocket: { port: 22 } } } });
    expect(await vms.put('virtualmachineinstances/probed/pause')).toBe(
      '403 Forbidden: virtualmachineinstance.kubevirt.io "probed" is forbidden: ' +
        'Pausing VMIs with a non-GuestAgentPing LivenessProbe is not supported',
    );
  });
});

describe('a guest that is rebooted', () => {
  it.each(['softreboot', 'reset'])(
    'by %s stays the same instance in the same pod, with its old template',
    async (verb) => {
      const name = verb;
      const before = await vms.running(name);
      const pods = await podsOf(name);
      const change = [{ op: 'add', path: '/spec/template/spec/domain/devices/interfaces/0/bootOrder', value: 1 }];
      expect(await vms.patch(`virtualmachines/${name}`, 'json', change)).toBe('200');
      expect(await vms.put(`virtualmachineinstances/${name}/${verb}`)).toBe('200');
      const after = await vms.untilRunning(name);
      expect(after.metadata.uid).toBe(before.metadata.uid);
      expect(after.spec).toEqual(before.spec);
      expect(await podsOf(name)).toEqual(pods);
      expect(asked).toContain(`${verb} ${name}`);
    },
  );

  it('by softreboot needs an agent or ACPI', async () => {
    const noAcpi = { domain: { features: { acpi: { enabled: false } } } };
    await vms.running('no-acpi', 'Always', noAcpi);
    await vms.running('no-acpi-agent', 'Always', { ...noAcpi, ...agent });
    const why = 'VMI neither have the agent connected nor the ACPI feature enabled';
    expect(await vms.put('virtualmachineinstances/no-acpi/softreboot')).toBe(VMI('no-acpi', why));
    expect(await vms.put('virtualmachineinstances/no-acpi-agent/softreboot')).toBe('200');
  });
});

describe('a guest that does not run', () => {
  it.each([
    ['pause', 'VM is not running'],
    ['softreboot', 'VM is not running'],
    ['unpause', 'VMI is not running'],
  ])('%s', async (verb, why) => {
    expect(await vms.put(`virtualmachineinstances/scheduling/${verb}`)).toBe(VMI('scheduling', why));
  });

  it('reset', async () => {
    expect(await vms.put('virtualmachineinstances/scheduling/reset')).toBe(
      '400 BadRequest: Failed to reset non-running VMI with phase Scheduling: ' +
        'Unable to connect to VirtualMachineInstance because phase is Scheduling instead of Running or Scheduled',
    );
  });

  it('migrate', async () => {
    expect(await vms.put('virtualmachines/scheduling/migrate')).toBe(VM('scheduling', 'VM is not running'));
  });

  it('guestosinfo', async () => {
    const answer = await vms.answer('GET', 'virtualmachineinstances/scheduling/guestosinfo');
    expect([answer.status, answer.headers['content-type']]).toEqual([500, 'text/plain; charset=utf-8']);
    expect(answer.body).toContain('VMI is not running');
  });
});

describe('the guest agent', () => {
  it('does not answer without an agent', async () => {
    expect(await vms.subresource('GET', 'virtualmachineinstances/on/guestosinfo')).toBe(
      '500 Operation cannot be fulfilled on virtualmachineinstance.kubevirt.io "on": ' +
        'VMI does not have guest agent connected',
    );
  });

  it('reports the guest', async () => {
    const { status, body } = await vms.answer('GET', 'virtualmachineinstances/agent/guestosinfo');
    expect(status).toBe(200);
    expect(body).toMatchObject({ hostname: 'agent', os: { name: 'Fedora Linux' }, fsInfo: { disks: [] } });
  });
});
