import type { Pod } from '@groundcrew/controller-runtime';
import { describe, expect, it } from 'vitest';
import { PAUSED } from './guest-state.ts';
import { decideInstance, type InstanceDecision, type InstanceView } from './instance-decision.ts';
import { conditionsAfter, gated } from './launcher-pod.ts';
import type { LauncherAction } from './launchers.ts';
import { runningStatus } from './pod-status.ts';
import type { InstancePhase, InstanceStatus, VirtualMachineInstance } from '../kubevirt/objects.ts';
import { aPod, aVmi, deleted, noVolumes } from '../testing/builders.ts';

const TIMES = { bootTime: 1000, shutdownTime: 400 };

function decide(view: Partial<InstanceView>): InstanceDecision {
  return decideInstance({
    vmi: aVmi(),
    owned: true,
    pods: [],
    podExpected: false,
    volumes: noVolumes,
    createdAt: 0,
    deletedAt: undefined,
    podDeletedAt: undefined,
    now: 0,
    times: TIMES,
    fate: undefined,
    freeNode: 'node01',
    isReachable: (node) => node !== undefined,
    interfaces: [{ name: 'default', mac: '52:54:00:18:fe:2d', infoSource: 'domain' }],
    ...view,
  });
}

function phaseAfter(view: Partial<InstanceView>): InstancePhase | undefined {
  const { next } = decide(view);
  return (next ?? view.vmi)?.status?.phase;
}

function typesOf({ pods }: InstanceDecision): LauncherAction['type'][] {
  return pods.map(({ type }) => type);
}

/** An instance that has its pod. */
function placed(phase: InstancePhase, status: InstanceStatus = {}): VirtualMachineInstance {
  return aVmi(phase, { nodeName: 'node01', activePods: { 'pod-uid': 'node01' }, ...status });
}

const LOST: Partial<InstanceView> = { isReachable: () => false, freeNode: undefined };

/** The pods after the actions. */
function carriedOut(pods: readonly Pod[], actions: readonly LauncherAction[], now: number): Pod[] {
  let next = [...pods];
  for (const action of actions) {
    if (action.type === 'create') next.push(aPod('Pending'));
    if (action.type === 'run')
      next = next.map((pod) => ({ ...pod, status: runningStatus(gated(pod, true, now), undefined, now) }));
    if (action.type === 'delete') next = next.map(deleted);
    if (action.type === 'remove') next = [];
  }
  return next;
}

/** Repeats steps until nothing is due; returns the phases with their start times. */
function live(
  vmi: VirtualMachineInstance,
  view: Partial<InstanceView>,
  until: number,
): [InstancePhase | undefined, number][] {
  const phases: [InstancePhase | undefined, number][] = [];
  let now = view.now ?? 0;
  let pods = view.pods ?? [];
  for (let step = 0; step < 50 && now <= until; step += 1) {
    const decision = decide({ ...view, vmi, pods, now });
    const { next, retryAfter } = decision;
    if (next !== undefined && next.status?.phase !== vmi.status?.phase) phases.push([next.status?.phase, now]);
    pods = carriedOut(pods, decision.pods, now);
    if (next === undefined && decision.pods.length === 0) {
      if (retryAfter === undefined) break;
      now += retryAfter;
    }
    vmi = next ?? vmi;
  }
  return phases;
}

describe('a start', () => {
  it('has all phases and takes the boot time', () => {
    expect(live(aVmi(), {}, 5000)).toEqual([
      ['Pending', 0],
      ['Scheduling', 100],
      ['Scheduled', 500],
      ['Running', 1000],
    ]);
  });

  it('creates one pod, which runs when the instance is Scheduled', () => {
    expect(decide({ vmi: aVmi('Pending'), now: 100 }).pods).toEqual([{ type: 'create', node: 'node01' }]);
    expect(decide({ vmi: aVmi('Pending'), now: 200, podExpected: true }).pods).toEqual([]);
    expect(typesOf(decide({ vmi: aVmi('Scheduling'), pods: [aPod('Pending')], now: 500 }))).toEqual(['run']);
  });

  it('has no Ready condition at first, then GuestNotRunning, then True', () => {
    const readyOf = (vmi: VirtualMachineInstance, now: number): unknown =>
      decide({ vmi, pods: [aPod()], now }).next?.status?.conditions?.[0];
    expect(decide({}).next?.status?.conditions).toEqual([]);
    expect(readyOf(aVmi('Pending'), 100)).toMatchObject({ type: 'Ready', status: 'False', reason: 'GuestNotRunning' });
    expect(readyOf(placed('Scheduled'), 1000)).toMatchObject({ type: 'Ready', status: 'True' });
  });
});

describe('a stop', () => {
  const running = deleted(placed('Running'));
  const ending = { deletedAt: 5000, now: 5000, pods: [deleted(aPod())] };

  it('deletes the pod first', () => {
    expect(typesOf(decide({ vmi: running, pods: [aPod()], now: 5000 }))).toEqual(['delete']);
  });

  it('lets the guest shut down, then removes the pod', () => {
    expect(live(running, ending, 60_000)).toEqual([['Succeeded', 5400]]);
    expect(typesOf(decide({ vmi: running, ...ending, now: 5399 }))).toEqual([]);
    // The pod is removed after its end is in the status: if that write failed, the next step would lack the pod.
    expect(typesOf(decide({ vmi: running, ...ending, now: 5400 }))).toEqual([]);
    expect(typesOf(decide({ vmi: deleted(placed('Succeeded')), ...ending, now: 5400 }))).toEqual(['remove']);
  });

  it('ends a guest after its grace period', () => {
    const hasty = { ...running, spec: { ...running.spec, terminationGracePeriodSeconds: 0 } };
    expect(live(hasty, ending, 60_000)).toEqual([['Succeeded', 5000]]);
  });

  it('gives a paused guest the whole grace period, 30 s by default', () => {
    const paused = deleted(placed('Running', { conditions: [{ type: 'Paused', status: 'True' }] }));
    expect(live(paused, ending, 60_000)).toEqual([['Succeeded', 35_000]]);
  });

  it('by a deletion of the pod has its grace period', () => {
    const pod = deleted(aPod());
    const hasty = { ...pod, metadata: { ...pod.metadata, deletionGracePeriodSeconds: 0 } };
    const view = { podDeletedAt: 5000, now: 5000, pods: [hasty] };
    expect(live(placed('Running'), view, 60_000)).toEqual([['Succeeded', 5000]]);
  });
});

describe('a guest that ends from inside', () => {
  it('is Succeeded after a power off and Failed after a crash; its pod completes', () => {
    const view = { vmi: placed('Running'), pods: [aPod()], now: 9000 };
    expect(phaseAfter({ ...view, fate: 'PoweredOff' })).toBe('Succeeded');
    expect(decide({ ...view, fate: 'PoweredOff' }).pods).toMatchObject([{ type: 'complete', succeeded: true }]);
    expect(phaseAfter({ ...view, fate: 'Crashed' })).toBe('Failed');
    expect(decide({ ...view, fate: 'Crashed' }).pods).toMatchObject([{ type: 'complete', succeeded: false }]);
  });

  it('is Failed when its pod is removed', () => {
    expect(phaseAfter({ vmi: placed('Running'), now: 9000 })).toBe('Failed');
  });
});

describe('a paused guest', () => {
  const vmi = placed('Running', { conditions: [{ type: 'Ready', status: 'True' }, PAUSED] });
  const gate = { type: 'kubevirt.io/virtual-machine-unpaused', status: 'False' };
  const ready = {
    type: 'Ready',
    status: 'False',
    reason: 'ReadinessGatesNotReady',
    message: 'the status of pod readiness gate "kubevirt.io/virtual-machine-unpaused" is not "True", but False',
  } as const;
  const closed: Pod = { ...aPod(), status: { phase: 'Running', conditions: [gate, ready] } };

  it('closes the readiness gate of its pod', () => {
    const { pods } = decide({ vmi, pods: [aPod()], now: 9000 });
    expect(pods).toMatchObject([{ type: 'mark', unpaused: false, reachable: true }]);
    expect(conditionsAfter(aPod(), { unpaused: false, reachable: true }, 9000)).toMatchObject([gate, ready]);
    expect(decide({ vmi, pods: [closed], now: 9000 }).pods).toEqual([]);
  });

  it('has the Ready condition of its pod', () => {
    const { next } = decide({ vmi, pods: [closed], now: 9000 });
    expect(next?.status?.conditions).toContainEqual(expect.objectContaining(ready));
  });

  it('opens the gate when it continues', () => {
    const resumed = placed('Running', { conditions: [ready] });
    expect(decide({ vmi: resumed, pods: [closed], now: 9000 }).pods).toMatchObject([{ type: 'mark', unpaused: true }]);
    const conditions = conditionsAfter(closed, { unpaused: true, reachable: true }, 9000);
    expect(conditions).toMatchObject([
      { ...gate, status: 'True' },
      { type: 'Ready', status: 'True' },
    ]);
    expect(conditions?.[1]).not.toHaveProperty('reason');
  });

  it('is not ready on a lost node', () => {
    const { next } = decide({ vmi: placed('Running'), pods: [aPod()], now: 9000, ...LOST });
    expect(next?.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'False' }));
    expect(conditionsAfter(aPod(), { unpaused: true, reachable: false }, 9000)).toMatchObject([
      { ...gate, status: 'True' },
      { type: 'Ready', status: 'False' },
    ]);
  });
});

describe('an ended instance', () => {
  const ended = placed('Succeeded', { conditions: [{ type: 'Ready', status: 'False' }] });
  const held = {
    ...ended,
    metadata: {
      ...ended.metadata,
      finalizers: ['kubevirt.io/virtualMachineControllerFinalize', 'foregroundDeleteVirtualMachine'],
    },
  };

  it('loses its own finalizer when its pods are gone', () => {
    expect(decide({ vmi: held, pods: [aPod('Succeeded')] }).next?.metadata.finalizers).toHaveLength(2);
    expect(decide({ vmi: held }).next?.metadata.finalizers).toEqual(['kubevirt.io/virtualMachineControllerFinalize']);
  });

  it('loses both finalizers without a VM', () => {
    expect(decide({ vmi: held, owned: false }).next?.metadata.finalizers).toEqual([]);
  });

  it('is deleted with its pods', () => {
    expect(typesOf(decide({ vmi: deleted(held), pods: [aPod('Succeeded')] }))).toEqual(['delete']);
  });
});
