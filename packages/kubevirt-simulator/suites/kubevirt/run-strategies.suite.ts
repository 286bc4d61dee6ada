import { describe, expect, it } from 'vitest';
import { PODS } from '@groundcrew/controller-runtime';
import { cluster } from '../../../../test/harness/index.ts';
import { isOff, isReady, VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
const { kubeVirt } = await world.standIns({ parts: ['kubevirt'], bootTime: 60, kubeVirt: { shutdownTime: 60 } });
const vms = new VirtualMachines(world, await world.namespace());

interface Row {
  strategy: 'Always' | 'RerunOnFailure' | 'Manual' | 'Halted' | 'Once';
  /** A VM that is created. */
  created: 'starts' | 'stays off';
  /**
   * A guest that powers itself off, and one that crashes: `again`, another instance runs; `off`, the instance is deleted and
   * none follows; `kept`, none follows and the instance stays in its final phase. Undefined: it has no guest.
   */
  poweredOff?: 'again' | 'off' | 'kept';
  crashed?: 'again' | 'kept';
  /** `start` of a VM without instance: 202, or the text of the 409; and the strategy that it then has. */
  start: [answer: string, strategyAfter?: string];
  /** `stop` of a VM that runs, or is off in the case of Halted; and the strategy that it then has. */
  stop: [answer: string, strategyAfter?: string];
  restart: string;
}

/** The table of KubeVirt's documentation, with the answers of KubeVirt 1.8.4. */
const TABLE: Row[] = [
  {
    strategy: 'Always',
    created: 'starts',
    poweredOff: 'again',
    crashed: 'again',
    start: ['Always does not support manual start requests'],
    stop: ['202', 'Halted'],
    restart: '202',
  },
  {
    strategy: 'RerunOnFailure',
    created: 'starts',
    poweredOff: 'off',
    crashed: 'again',
    start: ['202', 'RerunOnFailure'],
    stop: ['202', 'RerunOnFailure'],
    restart: '202',
  },
  {
    strategy: 'Manual',
    created: 'stays off',
    poweredOff: 'kept',
    crashed: 'kept',
    start: ['202', 'Manual'],
    stop: ['202', 'Manual'],
    restart: '202',
  },
  {
    strategy: 'Halted',
    created: 'stays off',
    start: ['202', 'Always'],
    stop: ['VM is not running'],
    restart: 'RunStategy Halted does not support manual restart requests',
  },
  {
    strategy: 'Once',
    created: 'starts',
    poweredOff: 'kept',
    crashed: 'kept',
    start: ['Once does not support manual start requests'],
    stop: ['202', 'Halted'],
    restart: 'RunStategy Once does not support manual restart requests',
  },
];

function refused(name: string, why: string): string {
  return `409 Conflict: Operation cannot be fulfilled on virtualmachine.kubevirt.io "${name}": ${why}`;
}

function expected(name: string, answer: string): string {
  return answer === '202' ? answer : refused(name, answer);
}

describe.each(TABLE)('run strategy $strategy', (row) => {
  const { strategy } = row;
  const prefix = strategy.toLowerCase();

  it.concurrent(`${row.created} when the VM is created`, async () => {
    const name = `${prefix}-created`;
    expect(await vms.create(name, { runStrategy: strategy })).toBe('201');
    await vms.until(name, row.created === 'starts' ? isReady : isOff);
  });

  if (row.poweredOff !== undefined)
    it.concurrent(`is ${row.poweredOff} after the guest has powered itself off`, async () => {
      const name = `${prefix}-poweroff`;
      const first = await vms.running(name, strategy);
      expect(kubeVirt.powerOffGuest(vms.ref(name))).toBe(true);
      if (row.poweredOff === 'again') await vms.untilRunning(name, first);
      else if (row.poweredOff === 'off') await vms.until(name, isOff);
      else await untilKept(name, 'Succeeded', first.metadata.uid);
    });

  if (row.crashed !== undefined)
    it.concurrent(`is ${row.crashed} after the guest has crashed`, async () => {
      const name = `${prefix}-crash`;
      const first = await vms.running(name, strategy);
      expect(kubeVirt.crashGuest(vms.ref(name))).toBe(true);
      if (row.crashed === 'again') await vms.untilRunning(name, first);
      else await untilKept(name, 'Failed', first.metadata.uid);
    });

  it('answers a start as in the table, and with 409 while it runs', async () => {
    const name = `${prefix}-start`;
    const hold = kubeVirt.holdController();
    expect(await vms.create(name, { runStrategy: strategy })).toBe('201');
    const [answer, after] = row.start;
    // RerunOnFailure is the only strategy that starts by itself and also accepts a start.
    expect(await vms.put(`virtualmachines/${name}/start`)).toBe(expected(name, answer));
    hold.resume();
    await vms.untilRunning(name);
    expect((await vms.vm(name)).spec.runStrategy).toBe(after ?? strategy);
    expect(await vms.put(`virtualmachines/${name}/start`)).toBe(refused(name, 'VM is already running'));
  });

  it.concurrent('answers a stop as in the table', async () => {
    const name = `${prefix}-stop`;
    const [answer, after] = row.stop;
    if (strategy === 'Halted') await vms.stopped(name, strategy);
    else await vms.running(name, strategy);
    expect(await vms.put(`virtualmachines/${name}/stop`)).toBe(expected(name, answer));
    await vms.until(name, isOff);
    expect((await vms.vm(name)).spec.runStrategy).toBe(after ?? strategy);
  });

  it.concurrent('answers a restart as in the table', async () => {
    const name = `${prefix}-restart`;
    if (strategy === 'Halted') await vms.stopped(name, strategy);
    const first = strategy === 'Halted' ? undefined : await vms.running(name, strategy);
    expect(await vms.put(`virtualmachines/${name}/restart`)).toBe(expected(name, row.restart));
    if (row.restart === '202') await vms.untilRunning(name, first);
    else expect((await vms.vmi(name))?.metadata.uid).toBe(first?.metadata.uid);
  });
});

/** Waits until the instance has ended, and verifies that it stays and that no start is queued. */
async function untilKept(name: string, phase: string, uid: string | undefined): Promise<void> {
  const { vm, vmi } = await vms.until(name, ({ vm, vmi }) => vmi?.status?.phase === phase && vm.status?.ready !== true);
  expect(vmi?.metadata.uid).toBe(uid);
  expect(vm.status).toMatchObject({ printableStatus: 'Stopped', created: true });
  expect(vm.status?.stateChangeRequests).toBeUndefined();
}

describe('a guest that has ended under Manual', () => {
  it.concurrent.each(['start', 'restart'])('runs again after %s', async (verb) => {
    const name = `again-${verb}`;
    const first = await vms.running(name, 'Manual');
    kubeVirt.powerOffGuest(vms.ref(name));
    await untilKept(name, 'Succeeded', first.metadata.uid);
    expect(await vms.put(`virtualmachines/${name}/stop`)).toBe(refused(name, 'VM is not running'));
    expect(await vms.put(`virtualmachines/${name}/${verb}`)).toBe('202');
    await vms.untilRunning(name, first);
  });
});

describe('the deprecated field running', () => {
  it.concurrent.each([
    [true, 'stop', false],
    [false, 'start', true],
  ])('%s is reversed by %s', async (running, verb, after) => {
    const name = `running-${running}`;
    expect(await vms.create(name, { running })).toBe('201');
    await vms.until(name, running ? isReady : isOff);
    expect(await vms.put(`virtualmachines/${name}/${verb}`)).toBe('202');
    await vms.until(name, after ? isReady : isOff);
    const { spec } = await vms.vm(name);
    expect([spec.running, spec.runStrategy]).toEqual([after, undefined]);
  });
});

describe('a change of the strategy', () => {
  it.concurrent('to Halted stops the guest, and to Always starts it', async () => {
    const first = await vms.running('turned', 'Always');
    expect(await vms.patch('virtualmachines/turned', 'merge', { spec: { runStrategy: 'Halted' } })).toBe('200');
    await vms.until('turned', isOff);
    expect(await vms.patch('virtualmachines/turned', 'merge', { spec: { runStrategy: 'Always' } })).toBe('200');
    await vms.untilRunning('turned', first);
  });

  it.concurrent('to RerunOnFailure starts a VM that is off', async () => {
    await vms.stopped('rerun', 'Halted');
    expect(await vms.patch('virtualmachines/rerun', 'merge', { spec: { runStrategy: 'RerunOnFailure' } })).toBe('200');
    await vms.untilRunning('rerun');
  });
});

describe('a guest that fails to start', () => {
  /** Deletes the launcher pod while it is being scheduled, which takes half a minute. */
  async function fail(name: string): Promise<void> {
    await vms.until(name, ({ vmi }) => vmi?.status?.phase === 'Scheduling');
    const labelSelector = `vm.kubevirt.io/name=${name}`;
    const { items } = await world.client.list(PODS, { namespace: vms.namespace, labelSelector });
    for (const { metadata } of items) await world.client.delete(PODS, metadata);
  }
  const slow = { metadata: { annotations: { 'sandbox.kubevirt.io/boot-time': '60000' } } };

  it.concurrent.each(['Always', 'RerunOnFailure'])('starts again with %s after a delay', async (strategy) => {
    const name = `loop-${strategy.toLowerCase()}`;
    expect(await vms.create(name, { runStrategy: strategy }, slow)).toBe('201');
    await fail(name);
    const { vm } = await vms.until(name, ({ vm, vmi }) => vm.status?.created !== true && vmi === undefined);
    const { printableStatus, startFailure } = vm.status ?? {};
    expect(printableStatus).toBe('CrashLoopBackOff');
    expect(startFailure).toMatchObject({ consecutiveFailCount: 1 });
    // 10 s times the square of the count, plus up to half of that.
    const wait = Date.parse(startFailure?.retryAfterTimestamp ?? '') - Date.now();
    expect(wait).toBeLessThanOrEqual(15_000);
  });
});
