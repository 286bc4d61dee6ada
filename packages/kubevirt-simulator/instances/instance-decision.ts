import { isDeepStrictEqual } from 'node:util';
import type { Pod } from '@groundcrew/controller-runtime';
import type { GuestTimes } from '../guest/index.ts';
import { startReadiness, type Readiness, type Volumes } from '../hotplug/index.ts';
import { endOfGuest, EVENTS } from './guest-state.ts';
import { finalStatus, statusIn } from './instance-status.ts';
import { hasEnded, launcherOf, NODE_NAME } from './launcher-pod.ts';
import { launcherActions, type LauncherAction } from './launchers.ts';
import { isTrue } from '../kubevirt/conditions.ts';
import {
  INSTANCE_FINALIZER,
  isFinal,
  isLeaving,
  VM_FINALIZER,
  type InstancePhase,
  type InterfaceStatus,
  type VirtualMachineInstance,
} from '../kubevirt/objects.ts';

/** The input of the node and the instance controller about one instance. */
export interface InstanceView {
  vmi: VirtualMachineInstance;
  /** The VM that owns it still exists. */
  owned: boolean;
  /** Its virt-launcher pods, including those of migrations. */
  pods: readonly Pod[];
  /** A pod has been created, and the watch has not shown it yet. */
  podExpected: boolean;
  /** When it was first seen, and when its deletion and that of its pod were; milliseconds. */
  createdAt: number;
  deletedAt: number | undefined;
  podDeletedAt: number | undefined;
  now: number;
  times: GuestTimes;
  /** How the guest ended by itself. */
  fate: 'PoweredOff' | 'Crashed' | undefined;
  /** Node for a new pod; undefined if there is none. */
  freeNode: string | undefined;
  isReachable: (node: string | undefined) => boolean;
  /** The addresses its interfaces have got. */
  interfaces: readonly InterfaceStatus[];
  /** Addresses from DHCP servers, by interface; undefined for a lost address. */
  leased?: ReadonlyMap<string, string | undefined>;
  /** The claims and DataVolumes of the cluster. */
  volumes: Volumes;
}

export interface InstanceDecision {
  /** The changed instance. */
  next?: VirtualMachineInstance;
  /** Actions on its pods, before the instance is written. */
  pods: LauncherAction[];
  /** Milliseconds until the next step; undefined: at the next change. */
  retryAfter?: number;
  event?: { type: 'Normal' | 'Warning'; reason: string; message: string };
}

/** The result of one step. */
export interface Step {
  phase: InstancePhase;
  retryAfter?: number;
  /** Node to create its pod on. */
  create?: string;
  /** No node is free. */
  unschedulable?: boolean;
  /** Volumes that it waits for. */
  lacking?: readonly Readiness[];
  /** It ended because its node was lost and its pod was deleted. */
  unresponsive?: boolean;
}

/** One step of an instance's life: at most one phase further, as KubeVirt writes them. */
export function decideInstance(view: InstanceView): InstanceDecision {
  const { vmi } = view;
  const step = isFinal(vmi) ? { phase: vmi.status?.phase ?? 'Failed' } : nextStep(view);
  const next = isFinal(vmi) ? released(view) : { ...labelled(view), status: statusIn(step, view) };
  const event = step.phase === vmi.status?.phase || isAborted(step, view) ? undefined : eventOf(step, view);
  return {
    ...change(vmi, next),
    pods: launcherActions(step, view),
    ...(step.retryAfter === undefined ? {} : { retryAfter: step.retryAfter }),
    ...(event === undefined ? {} : { event }),
  };
}

function eventOf(step: Step, { vmi }: InstanceView): InstanceDecision['event'] {
  if (step.unresponsive !== true) return EVENTS[step.phase];
  const node = vmi.status?.nodeName ?? '';
  const message = `virt-handler on node ${node} is not responsive, marking VMI as failed`;
  return { type: 'Normal', reason: 'NodeUnresponsive', message };
}

/** Ended before it ran, which is not a crash. */
function isAborted({ phase }: Step, { vmi }: InstanceView): boolean {
  return phase === 'Failed' && isLeaving(vmi);
}

/** Shares of the boot time until the pod is created (at most POD_DELAY), the launcher runs, and the guest runs. */
const CREATED = 0.1;
const SCHEDULED = 0.5;
const RUNNING = 1;
const POD_DELAY = 100;

function nextStep(view: InstanceView): Step {
  const { vmi, pods, isReachable } = view;
  const phase = vmi.status?.phase;
  const pod = launcherOf(vmi, pods);
  if (phase === undefined || phase === 'Pending') return unprocessed(view, phase, pod);
  if (pod === undefined) {
    if (vmi.status?.activePods === undefined) return unscheduled(view);
    // Its pod was deleted.
    const unresponsive = phase !== 'Scheduling' && !isReachable(vmi.status.nodeName);
    return { phase: 'Failed', ...(unresponsive ? { unresponsive } : {}) };
  }
  if (phase === 'Scheduling' && (isLeaving(pod) || hasEnded(pod))) return { phase: 'Failed' };
  if (!isReachable(pod.spec?.nodeName)) return { phase };
  if (phase === 'Scheduling') return isLeaving(vmi) ? { phase } : after(view, SCHEDULED, phase, 'Scheduled');
  return placed(view, phase, pod);
}

function unprocessed(view: InstanceView, phase: 'Pending' | undefined, pod: Pod | undefined): Step {
  const { vmi, podExpected, freeNode } = view;
  if (pod !== undefined) return { phase: 'Scheduling' };
  if (podExpected) return { phase: 'Pending' };
  if (isLeaving(vmi)) return { phase: 'Failed' };
  if (phase === undefined) return { phase: 'Pending' };
  const lacking = startReadiness(vmi, view.volumes);
  if (lacking.some(({ state }) => state === 'failed')) return { phase: 'Failed' };
  if (lacking.length > 0) return { phase, lacking };
  const retryAfter = view.createdAt + Math.min(view.times.bootTime * CREATED, POD_DELAY) - view.now;
  if (retryAfter > 0) return { phase, retryAfter };
  return freeNode === undefined ? { phase: 'Scheduling', unschedulable: true } : { phase, create: freeNode };
}

/** KubeVirt has created the pod by now, which is unschedulable; here the pod is created later. */
function unscheduled({ vmi, podExpected, freeNode }: InstanceView): Step {
  const phase = 'Scheduling';
  if (podExpected) return { phase };
  if (isLeaving(vmi)) return { phase: 'Failed' };
  return freeNode === undefined ? { phase, unschedulable: true } : { phase, create: freeNode };
}

/** On a node that answers, with its launcher up. */
function placed(view: InstanceView, phase: InstancePhase, pod: Pod): Step {
  const { vmi, fate, now } = view;
  const end = endOfGuest(
    vmi.spec,
    {
      deletedAt: view.deletedAt,
      pod:
        view.podDeletedAt === undefined
          ? undefined
          : { deletedAt: view.podDeletedAt, grace: pod.metadata.deletionGracePeriodSeconds },
      deaf: isTrue(vmi.status?.conditions, 'Paused') || fate === 'Crashed',
    },
    view.times,
  );
  if (end !== undefined) return now < end ? { phase, retryAfter: end - now } : { phase: 'Succeeded' };
  // Its pod is deleted next.
  if (isLeaving(vmi)) return { phase };
  if (fate !== undefined && phase === 'Running') return { phase: fate === 'PoweredOff' ? 'Succeeded' : 'Failed' };
  return phase === 'Scheduled' ? after(view, RUNNING, phase, 'Running') : { phase };
}

function after(view: InstanceView, share: number, phase: InstancePhase, next: InstancePhase): Step {
  const retryAfter = view.createdAt + view.times.bootTime * share - view.now;
  return retryAfter > 0 ? { phase, retryAfter } : { phase: next };
}

/** An instance has the name of its node in a label too. */
function labelled({ vmi, pods }: InstanceView): VirtualMachineInstance {
  const node = launcherOf(vmi, pods)?.spec?.nodeName;
  if (node === undefined) return vmi;
  return { ...vmi, metadata: { ...vmi.metadata, labels: { ...vmi.metadata.labels, [NODE_NAME]: node } } };
}

/** An ended instance: without pods it loses its finalizer, and without a VM also the VM controller's. */
function released(view: InstanceView): VirtualMachineInstance {
  const { vmi, pods, owned } = view;
  const gone = pods.length === 0;
  const finalizers = (vmi.metadata.finalizers ?? []).filter(
    (finalizer) => !(gone && finalizer === INSTANCE_FINALIZER) && (owned || finalizer !== VM_FINALIZER),
  );
  return { ...vmi, metadata: { ...vmi.metadata, finalizers }, status: finalStatus(view) };
}

function change(old: VirtualMachineInstance, next: VirtualMachineInstance): { next?: VirtualMachineInstance } {
  // JSON drops undefined fields.
  const wire = (vmi: VirtualMachineInstance): unknown =>
    JSON.parse(JSON.stringify([vmi.status ?? {}, vmi.metadata.finalizers ?? [], vmi.metadata.labels ?? {}])) as unknown;
  return isDeepStrictEqual(wire(old), wire(next)) ? {} : { next };
}
