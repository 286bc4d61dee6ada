import type { Pod } from '@groundcrew/controller-runtime';
import { isTrue } from '../kubevirt/conditions.ts';
import type { InstanceView, Step } from '../instances/index.ts';
import { isFinal, isLeaving } from '../kubevirt/objects.ts';
import { hasEnded, isMarked, launcherOf, type Readiness } from './launcher-pod.ts';

/** What is done to an instance's pods: `delete` asks for it, `remove` ends it as a kubelet does. */
export type LauncherAction =
  | { type: 'create'; node: string }
  | { type: 'run' | 'delete' | 'remove'; pod: Pod }
  | ({ type: 'mark'; pod: Pod } & Readiness)
  | { type: 'complete'; pod: Pod; succeeded: boolean };

/** What an instance's pods need as it takes a step: of virt-controller, of the kubelet, of the node's lifecycle. */
export function launcherActions(step: Step, view: InstanceView): LauncherAction[] {
  const actions = view.pods.flatMap((pod) => podActions(pod, step, view));
  return step.create === undefined ? actions : [...actions, { type: 'create', node: step.create }];
}

function podActions(pod: Pod, { phase }: Step, { vmi, pods, isReachable }: InstanceView): LauncherAction[] {
  const isOwn = pod === launcherOf(vmi, pods);
  const over = phase === 'Succeeded' || phase === 'Failed';
  const reachable = isReachable(pod.spec?.nodeName);
  // A node that does not answer cannot say that the launcher has ended: the pod stays until someone forces it.
  // Its own goes when it stands written how the guest ended: who finds an instance without pod takes the guest for crashed.
  if (isLeaving(pod)) return reachable && (isFinal(vmi) || !isOwn) ? [{ type: 'remove', pod }] : [];
  if (isLeaving(vmi)) return [{ type: 'delete', pod }];
  if (hasEnded(pod) || !isOwn) return [];
  if (over) return reachable ? [{ type: 'complete', pod, succeeded: phase === 'Succeeded' }] : [];
  if (phase !== 'Scheduled' && phase !== 'Running') return [];
  if (pod.status?.phase !== 'Running') return [{ type: 'run', pod }];
  const readiness = { unpaused: !isTrue(vmi.status?.conditions, 'Paused'), reachable };
  return isMarked(pod, readiness) ? [] : [{ type: 'mark', pod, ...readiness }];
}
