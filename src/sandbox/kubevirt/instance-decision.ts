import { isDeepStrictEqual } from 'node:util';
import { timestamp } from '../../kube/index.ts';
import { conditionOf, isTrue, withCondition } from './conditions.ts';
import {
  DEFAULT_GRACE_PERIOD,
  INSTANCE_FINALIZER,
  isFinal,
  VM_FINALIZER,
  type InstancePhase,
  type InstanceStatus,
  type InterfaceStatus,
  type KubeVirtCondition,
  type VirtualMachineInstance,
} from './objects.ts';

/** How the simulated guests behave; milliseconds. */
export interface GuestTimes {
  /** From the instance's creation to Running. */
  bootTime: number;
  /** From the ACPI power button to power off; the grace period cuts it short. */
  shutdownTime: number;
}

/** What the node and the instance controller see of one instance. */
export interface InstanceView {
  vmi: VirtualMachineInstance;
  /** The VM that owns it still exists. */
  owned: boolean;
  /** When it was first seen, and when its deletion was; milliseconds. */
  createdAt: number;
  deletedAt: number | undefined;
  now: number;
  times: GuestTimes;
  /** What the guest did by itself. */
  fate: 'PoweredOff' | 'Crashed' | undefined;
  nodeName: string;
  /** The addresses its interfaces have got. */
  interfaces: readonly InterfaceStatus[];
}

export interface InstanceDecision {
  /** The instance to write, or undefined where nothing changes. */
  next?: VirtualMachineInstance;
  /** Milliseconds after which to look again; undefined: at the next change. */
  retryAfter?: number;
  event?: { type: 'Normal' | 'Warning'; reason: string; message: string };
}

/** One step of an instance's life: at most one phase further, as KubeVirt writes them. */
export function decideInstance(view: InstanceView): InstanceDecision {
  const { vmi } = view;
  if (isFinal(vmi)) return { ...change(vmi, released(view)) };
  const { phase, retryAfter } = nextPhase(view);
  const status = statusIn(phase, view);
  const next = change(vmi, { ...vmi, status });
  const event = phase === vmi.status?.phase || isAborted(phase, view) ? undefined : EVENTS[phase];
  return {
    ...next,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(event === undefined ? {} : { event }),
  };
}

const EVENTS: Partial<Record<InstancePhase, NonNullable<InstanceDecision['event']>>> = {
  Scheduling: { type: 'Normal', reason: 'SuccessfulCreate', message: 'Created virtual machine pod' },
  Running: { type: 'Normal', reason: 'Started', message: 'VirtualMachineInstance started.' },
  Succeeded: { type: 'Normal', reason: 'Stopped', message: 'The VirtualMachineInstance was shut down.' },
  Failed: { type: 'Warning', reason: 'Stopped', message: 'The VirtualMachineInstance crashed.' },
};

/** Ended before it ran, which is no crash. */
function isAborted(phase: InstancePhase, view: InstanceView): boolean {
  return phase === 'Failed' && view.deletedAt !== undefined;
}

/** Share of the boot time after which each phase begins. */
const STARTING: { phase: InstancePhase; next: InstancePhase; share: number }[] = [
  { phase: 'Pending', next: 'Scheduling', share: 0.1 },
  { phase: 'Scheduling', next: 'Scheduled', share: 0.5 },
  { phase: 'Scheduled', next: 'Running', share: 1 },
];

function nextPhase(view: InstanceView): { phase: InstancePhase; retryAfter?: number } {
  const { vmi, now, times, createdAt } = view;
  const phase = vmi.status?.phase;
  if (view.deletedAt !== undefined) return ending(view, view.deletedAt);
  if (phase === undefined) return { phase: 'Pending' };
  if (view.fate !== undefined && phase === 'Running') {
    return { phase: view.fate === 'PoweredOff' ? 'Succeeded' : 'Failed' };
  }
  const step = STARTING.find((candidate) => candidate.phase === phase);
  if (step === undefined) return { phase };
  const wait = createdAt + times.bootTime * step.share - now;
  return wait > 0 ? { phase, retryAfter: wait } : { phase: step.next };
}

/** A guest that runs gets the power button and its grace; one that does not yet run ends at once. */
function ending(view: InstanceView, deletedAt: number): { phase: InstancePhase; retryAfter?: number } {
  const { vmi, now, times } = view;
  const phase = vmi.status?.phase;
  if (phase !== 'Running' && phase !== 'Scheduled') return { phase: 'Failed' };
  const grace = (vmi.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_PERIOD) * 1000;
  // A paused guest cannot answer the power button: it is destroyed when the grace is over.
  const deaf = isTrue(vmi.status?.conditions, 'Paused') || view.fate === 'Crashed';
  const wait = deletedAt + (deaf ? grace : Math.min(grace, times.shutdownTime)) - now;
  return wait > 0 ? { phase, retryAfter: wait } : { phase: 'Succeeded' };
}

function statusIn(phase: InstancePhase, view: InstanceView): InstanceStatus {
  const { vmi, now, nodeName, interfaces } = view;
  const old = vmi.status ?? {};
  const entered = old.phaseTransitionTimestamps ?? [];
  const placed = phase === 'Scheduled' || phase === 'Running';
  return {
    ...old,
    phase,
    conditions: conditionsIn(phase, view),
    phaseTransitionTimestamps:
      phase === old.phase
        ? entered
        : [...entered.filter((entry) => entry.phase !== phase), { phase, phaseTransitionTimestamp: timestamp(now) }],
    ...(placed ? { nodeName } : {}),
    ...(phase === 'Running' && old.phase !== 'Running' ? { interfaces: [...interfaces] } : {}),
  };
}

function conditionsIn(phase: InstancePhase, view: InstanceView): KubeVirtCondition[] {
  const { vmi, now } = view;
  let conditions = vmi.status?.conditions ?? [];
  // KubeVirt shows a fresh instance without a Ready condition for a moment.
  if (vmi.status?.phase === undefined) return conditions;
  conditions = withCondition(conditions, readyIn(phase, view), now);
  if (phase === 'Running' && vmi.status.phase !== 'Running' && vmi.spec.startStrategy === 'Paused') {
    conditions = withCondition(conditions, PAUSED, now);
  }
  if (phase === 'Running') {
    conditions = withCondition(conditions, { type: 'LiveMigratable', status: 'True' }, now);
  }
  // An ended guest keeps its Paused: KubeVirt leaves it, and the VM's copy of it outlives the instance.
  return conditions;
}

/** What `pause` sets, and a start with `paused: true`. */
export const PAUSED = {
  type: 'Paused',
  status: 'True',
  reason: 'PausedByUser',
  message: 'VMI was paused by user',
} as const;

function readyIn(
  phase: InstancePhase,
  view: InstanceView,
): Pick<KubeVirtCondition, 'type' | 'status' | 'reason' | 'message'> {
  if (view.deletedAt !== undefined) {
    const message = 'virt-launcher pod is terminating';
    return { type: 'Ready', status: 'False', reason: 'PodTerminating', message };
  }
  if (phase === 'Running') return { type: 'Ready', status: 'True' };
  return {
    type: 'Ready',
    status: 'False',
    reason: 'GuestNotRunning',
    message: 'Guest VM is not reported as running',
  };
}

/** An ended instance, without the node's finalizer; and without the VM controller's where no VM is left to take it. */
function released(view: InstanceView): VirtualMachineInstance {
  const { vmi, owned, now } = view;
  const finalizers = (vmi.metadata.finalizers ?? []).filter(
    (finalizer) => finalizer !== INSTANCE_FINALIZER && (owned || finalizer !== VM_FINALIZER),
  );
  const conditions = vmi.status?.conditions ?? [];
  const ready = conditionOf(conditions, 'Ready');
  return {
    ...vmi,
    metadata: { ...vmi.metadata, finalizers },
    ...(ready?.status === 'True'
      ? { status: { ...vmi.status, conditions: withCondition(conditions, readyIn('Succeeded', view), now) } }
      : {}),
  };
}

function change(old: VirtualMachineInstance, next: VirtualMachineInstance): { next?: VirtualMachineInstance } {
  const same =
    isDeepStrictEqual(old.status ?? {}, next.status ?? {}) &&
    isDeepStrictEqual(old.metadata.finalizers ?? [], next.metadata.finalizers ?? []);
  return same ? {} : { next };
}
