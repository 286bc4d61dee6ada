import { describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { isOff, LOST, VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
const { kubeVirt } = await world.standIns({ parts: ['kubevirt'], bootTime: 60, kubeVirt: { shutdownTime: 60 } });
const vms = new VirtualMachines(world, await world.namespace());

const UNDERWAY = '500 InternalError: Internal error occurred: unable to complete request: stop/start already underway';

function conflict(name: string, why: string): string {
  return `409 Conflict: Operation cannot be fulfilled on virtualmachine.kubevirt.io "${name}": ${why}`;
}

// The tests stop virt-controller to keep a request queued. On a real cluster its own delay is sufficient.
describe('while a start is queued', () => {
  it('another start is an internal error, a stop is refused, and the VM is Stopped', async () => {
    await vms.stopped('queued');
    const hold = kubeVirt.holdController();
    expect(await vms.put('virtualmachines/queued/start')).toBe('202');
    expect((await vms.vm('queued')).status).toMatchObject({
      printableStatus: 'Stopped',
      stateChangeRequests: [{ action: 'Start' }],
    });
    expect(await vms.put('virtualmachines/queued/start')).toBe(UNDERWAY);
    expect(await vms.put('virtualmachines/queued/stop')).toBe(conflict('queued', 'VM is not running'));
    expect(await vms.put('virtualmachines/queued/restart')).toBe(conflict('queued', 'VM is not running: Halted'));
    hold.resume();
    await vms.untilRunning('queued');
  });
});

describe('while a restart is queued', () => {
  it('another restart is an internal error, a start is refused, and a stop replaces it', async () => {
    const { metadata } = await vms.running('restarting', 'Manual');
    const hold = kubeVirt.holdController();
    expect(await vms.put('virtualmachines/restarting/restart')).toBe('202');
    expect((await vms.vm('restarting')).status?.stateChangeRequests).toEqual([
      { action: 'Stop', uid: metadata.uid },
      { action: 'Start' },
    ]);
    expect(await vms.put('virtualmachines/restarting/restart')).toBe(UNDERWAY);
    expect(await vms.put('virtualmachines/restarting/start')).toBe(conflict('restarting', 'VM is already running'));
    expect(await vms.put('virtualmachines/restarting/stop')).toBe('202');
    expect(await vms.put('virtualmachines/restarting/stop')).toBe('202');
    expect((await vms.vm('restarting')).status?.stateChangeRequests).toEqual([{ action: 'Stop', uid: metadata.uid }]);
    hold.resume();
    await vms.until('restarting', isOff);
  });
});

describe('concurrent starts', () => {
  it('succeed once; the others fail', async () => {
    await vms.stopped('start-storm');
    const losses = new Set<string>();
    // A losing start either reads the winner's request or conflicts with its write. One conflict is sufficient.
    for (let round = 0; round < 10 && !losses.has(LOST); round += 1) {
      const hold = kubeVirt.holdController();
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => vms.putOnce('virtualmachines/start-storm/start')),
      );
      expect(answers.filter((answer) => answer === '202')).toHaveLength(1);
      for (const answer of answers.filter((one) => one !== '202')) losses.add(answer);
      hold.resume();
      await vms.untilRunning('start-storm');
      expect(await vms.put('virtualmachines/start-storm/stop', { gracePeriod: 0 })).toBe('202');
      await vms.until('start-storm', isOff);
    }
    expect(losses).toContain(LOST);
    expect([LOST, UNDERWAY]).toEqual(expect.arrayContaining([...losses]));
  });
});

describe('a restart', () => {
  it('leads through Stopping and Starting to a new instance', async () => {
    const first = await vms.running('way', 'Manual');
    const passed: string[] = [];
    const watching = await vms.watchStatus('way', (status) => {
      if (passed.at(-1) !== status) passed.push(status);
    });
    expect(await vms.put('virtualmachines/way/restart')).toBe('202');
    await vms.untilRunning('way', first);
    await eventually(() => {
      expect([passed.includes('Stopping'), passed.at(-1)]).toEqual([true, 'Running']);
    });
    await watching.close();
    // The VM may be Stopped for a moment between the two instances.
    expect(passed.filter((status) => status !== 'Stopped')).toEqual(['Running', 'Stopping', 'Starting', 'Running']);
  });
});
