import { describe, expect, it } from 'vitest';
import { decideInstance, type InstanceDecision, type InstanceView } from './instance-decision.ts';
import type { InstancePhase, VirtualMachineInstance } from './objects.ts';
import { aVmi, deleted } from './testing/builders.ts';

const TIMES = { bootTime: 1000, shutdownTime: 400 };

function decide(view: Partial<InstanceView>): InstanceDecision {
  return decideInstance({
    vmi: aVmi(),
    owned: true,
    createdAt: 0,
    deletedAt: undefined,
    now: 0,
    times: TIMES,
    fate: undefined,
    nodeName: 'sandbox',
    interfaces: [{ name: 'default', mac: '52:54:00:18:fe:2d', infoSource: 'domain' }],
    ...view,
  });
}

function phaseAfter(view: Partial<InstanceView>): InstancePhase | undefined {
  const { next } = decide(view);
  return (next ?? view.vmi)?.status?.phase;
}

/** Lets an instance go on until nothing is due any more; returns its phases with the times of their beginning. */
function live(
  vmi: VirtualMachineInstance,
  view: Partial<InstanceView>,
  until: number,
): [InstancePhase | undefined, number][] {
  const phases: [InstancePhase | undefined, number][] = [];
  let now = view.now ?? 0;
  for (let step = 0; step < 50 && now <= until; step += 1) {
    const { next, retryAfter } = decide({ ...view, vmi, now });
    if (next !== undefined && next.status?.phase !== vmi.status?.phase) phases.push([next.status?.phase, now]);
    if (next === undefined && retryAfter === undefined) break;
    vmi = next ?? vmi;
    now += next === undefined ? (retryAfter ?? 0) : 0;
  }
  return phases;
}

describe('a start', () => {
  it('goes through all phases and takes the boot time', () => {
    expect(live(aVmi(), {}, 5000)).toEqual([
      ['Pending', 0],
      ['Scheduling', 100],
      ['Scheduled', 500],
      ['Running', 1000],
    ]);
  });

  it('gives node and addresses, and the time of each phase', () => {
    const status = decide({ vmi: aVmi('Scheduled'), now: 1000 }).next?.status;
    expect(status).toMatchObject({
      phase: 'Running',
      nodeName: 'sandbox',
      interfaces: [{ name: 'default', mac: '52:54:00:18:fe:2d' }],
      phaseTransitionTimestamps: [{ phase: 'Running', phaseTransitionTimestamp: '1970-01-01T00:00:01Z' }],
    });
  });

  it('has no Ready condition at first, then GuestNotRunning, then True', () => {
    const readyOf = (vmi: VirtualMachineInstance, now: number): unknown =>
      decide({ vmi, now }).next?.status?.conditions?.[0];
    expect(decide({}).next?.status?.conditions).toEqual([]);
    expect(readyOf(aVmi('Pending'), 100)).toMatchObject({ type: 'Ready', status: 'False', reason: 'GuestNotRunning' });
    expect(readyOf(aVmi('Scheduled'), 1000)).toMatchObject({ type: 'Ready', status: 'True' });
  });

  it('ends paused where the instance says so', () => {
    const vmi = aVmi('Scheduled');
    const paused = decide({ vmi: { ...vmi, spec: { ...vmi.spec, startStrategy: 'Paused' } }, now: 1000 });
    expect(paused.next?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Paused', reason: 'PausedByUser' }),
    );
  });
});

describe('a stop', () => {
  const running = deleted(aVmi('Running'));

  it('lets the guest shut down in its own time', () => {
    expect(live(running, { deletedAt: 5000, now: 5000 }, 60_000)).toEqual([['Succeeded', 5400]]);
  });

  it('cuts a guest off when its grace is over', () => {
    const hasty = { ...running, spec: { ...running.spec, terminationGracePeriodSeconds: 0 } };
    expect(live(hasty, { deletedAt: 5000, now: 5000 }, 60_000)).toEqual([['Succeeded', 5000]]);
  });

  it('gives a paused guest, which hears no power button, the whole grace: 30 s by default', () => {
    const paused = {
      ...running,
      status: { ...running.status, conditions: [{ type: 'Paused', status: 'True' as const }] },
    };
    expect(live(paused, { deletedAt: 5000, now: 5000 }, 60_000)).toEqual([['Succeeded', 35_000]]);
  });

  it('fails an instance that did not run yet', () => {
    expect(phaseAfter({ vmi: deleted(aVmi('Scheduling')), deletedAt: 0 })).toBe('Failed');
  });

  it('says that the pod is terminating from the start', () => {
    expect(decide({ vmi: running, deletedAt: 5000, now: 5000 }).next?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'False', reason: 'PodTerminating' }),
    );
  });
});

describe('a guest that ends by itself', () => {
  it('is Succeeded when it powered off and Failed when it crashed', () => {
    expect(phaseAfter({ vmi: aVmi('Running'), fate: 'PoweredOff', now: 9000 })).toBe('Succeeded');
    expect(phaseAfter({ vmi: aVmi('Running'), fate: 'Crashed', now: 9000 })).toBe('Failed');
  });
});

describe('an ended instance', () => {
  const ended = aVmi('Succeeded');
  const held = {
    ...ended,
    metadata: {
      ...ended.metadata,
      finalizers: ['kubevirt.io/virtualMachineControllerFinalize', 'foregroundDeleteVirtualMachine'],
    },
  };

  it('loses the node finalizer, and the VM controller takes its own', () => {
    expect(decide({ vmi: held }).next?.metadata.finalizers).toEqual(['kubevirt.io/virtualMachineControllerFinalize']);
  });

  it('loses both where its VM is gone', () => {
    expect(decide({ vmi: held, owned: false }).next?.metadata.finalizers).toEqual([]);
  });

  it('is left alone after that', () => {
    expect(decide({ vmi: ended })).toEqual({});
  });
});
