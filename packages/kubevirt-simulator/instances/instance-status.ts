import { dataVolumesOf, dataVolumesReady, unscheduledFor, volumeStatusIn, withWaiting } from '../hotplug/index.ts';
import { guestStatus, PAUSED, runningConditions } from './guest-state.ts';
import type { InstanceView, Step } from './instance-decision.ts';
import { hasEnded, LAUNCHER_IMAGE, launcherOf, readyOf } from './launcher-pod.ts';
import { conditionOf, withCondition, withoutCondition } from '../kubevirt/conditions.ts';
import { isLeaving, type InstanceStatus, type KubeVirtCondition } from '../kubevirt/objects.ts';

type NewCondition = Pick<KubeVirtCondition, 'type' | 'status' | 'reason' | 'message'>;

/** The status of an instance after a step. */
export function statusIn(step: Step, view: InstanceView): InstanceStatus {
  const { vmi, pods } = view;
  const { phase } = step;
  const old = vmi.status ?? {};
  const node = launcherOf(vmi, pods)?.spec?.nodeName;
  const active = pods.filter((pod) => !hasEnded(pod));
  return {
    ...guestStatus(vmi, phase, view),
    ...(step.unresponsive === true ? { reason: 'NodeUnresponsive' } : {}),
    conditions: conditionsIn(step, view),
    ...(active.length === 0
      ? {}
      : {
          activePods: Object.fromEntries(
            active.map(({ metadata, spec }) => [metadata.uid ?? '', spec?.nodeName ?? '']),
          ),
        }),
    ...(phase === 'Scheduled' && old.phase !== 'Scheduled' ? scheduledStatus(node) : {}),
    ...(phase === 'Scheduled' || phase === 'Running'
      ? { volumeStatus: volumeStatusIn({ ...vmi, status: { ...old, phase } }, view.volumes) }
      : {}),
  };
}

/** The status of an instance that has ended: that it is not ready is all that still changes. */
export function finalStatus(view: InstanceView): InstanceStatus {
  const status = view.vmi.status ?? {};
  return { ...status, conditions: withCondition(status.conditions ?? [], readyIn('Succeeded', view), view.now) };
}

function scheduledStatus(node: string | undefined): Partial<InstanceStatus> {
  return {
    ...(node === undefined ? {} : { nodeName: node }),
    qosClass: 'Burstable',
    runtimeUser: 107,
    launcherContainerImageVersion: LAUNCHER_IMAGE,
    migrationTransport: 'Unix',
  };
}

function conditionsIn(step: Step, view: InstanceView): KubeVirtCondition[] {
  const { vmi, now } = view;
  const { phase } = step;
  let conditions = vmi.status?.conditions ?? [];
  // A fresh instance is without a Ready condition until its pod is there.
  if (vmi.status?.phase === undefined) return conditions;
  if (phase === 'Pending') return withVolumes(conditions, step, view);
  conditions = withVolumes(withCondition(conditions, readyIn(phase, view), now), step, view);
  if (phase !== 'Running') {
    // An ended guest keeps its Paused: KubeVirt leaves it, and the VM's copy of it outlives the instance.
    return conditions;
  }
  if (vmi.status.phase !== 'Running' && vmi.spec.startStrategy === 'Paused') {
    conditions = withCondition(conditions, PAUSED, now);
  }
  return runningConditions(conditions, vmi, now);
}

/** With the conditions about volumes and scheduling. */
function withVolumes(conditions: readonly KubeVirtCondition[], step: Step, view: InstanceView): KubeVirtCondition[] {
  const { vmi, volumes, now } = view;
  const { lacking = [] } = step;
  const unscheduled = step.unschedulable === true ? UNSCHEDULABLE : unscheduledFor(vmi, lacking);
  const scheduled =
    unscheduled === undefined
      ? withoutCondition(conditions, UNSCHEDULABLE.type)
      : withCondition(conditions, unscheduled, now);
  const waiting = withWaiting(scheduled, vmi, lacking, now);
  const filled = dataVolumesReady(dataVolumesOf(vmi, volumes));
  return filled === undefined ? waiting : withCondition(waiting, filled, now);
}

const UNSCHEDULABLE = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'Unschedulable',
  message: 'no node that instances run on answers',
} as const;

/** As virt-controller derives it from the pod (`syncReadyConditionFromPod`). */
function readyIn(phase: string, { vmi, pods, isReachable }: InstanceView): NewCondition {
  const pod = launcherOf(vmi, pods);
  if (pod === undefined && conditionOf(vmi.status?.conditions, 'Ready') !== undefined && vmi.status?.activePods) {
    const message = 'virt-launcher pod has not yet been scheduled';
    return { type: 'Ready', status: 'False', reason: 'PodNotExists', message };
  }
  if (isLeaving(vmi) || (pod !== undefined && isLeaving(pod))) {
    const message = 'virt-launcher pod is terminating';
    return { type: 'Ready', status: 'False', reason: 'PodTerminating', message };
  }
  if (phase !== 'Running') {
    const message = 'Guest VM is not reported as running';
    return { type: 'Ready', status: 'False', reason: 'GuestNotRunning', message };
  }
  // From the pod's condition, which has no reason on a lost node.
  if (!isReachable(pod?.spec?.nodeName)) return { type: 'Ready', status: 'False' };
  const { reason, message } = (pod === undefined ? undefined : readyOf(pod)) ?? {};
  if (reason === undefined) return { type: 'Ready', status: 'True' };
  return { type: 'Ready', status: 'False', reason, ...(message === undefined ? {} : { message }) };
}
