import type { VirtualMachineBMC } from '../../../api/index.ts';
import type { Pod } from '@groundcrew/controller-runtime';
import { AGENT_CONTAINER, isPodReady } from '../../agent-workload/index.ts';
import { TEMPLATE_HASH_ANNOTATION } from '../../bmc-agent/index.ts';
import type { Inputs } from '../inputs.ts';

/**
 * The one agent that performs unsolicited work. It stays the same until a pod of the newest template is Ready, so that
 * neither a roll-out nor a failing probe leaves the BMC without an active agent. A deleted or terminating pod is never
 * active. The first pod of a BMC is active from the beginning, so that it has confirmed the spec when it is Ready.
 */
export function activeAgent(inputs: Inputs): Pod | undefined {
  const pods = inputs.pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const current = pods.find((pod) => pod.metadata.name === inputs.bmc.status?.agent?.name);
  const ready = pods.filter(isPodReady).toSorted(newestFirst);
  const newest = ready.filter((pod) => isOfNewestTemplate(pod, inputs));
  if (current !== undefined && newest.includes(current)) return current;
  if (newest.length > 0) return newest[0];
  if (current !== undefined && isPodReady(current)) return current;
  return ready[0] ?? current ?? (hasServed(inputs.bmc) ? undefined : comingAgent(inputs));
}

/** Whether an agent has ever been Ready, and is needed since. */
export function hasServed({ status }: VirtualMachineBMC): boolean {
  return status?.phase === 'Ready' || status?.phase === 'Degraded';
}

/** The newest pod, which becomes active next. */
export function comingAgent({ pods }: Inputs): Pod | undefined {
  return pods.filter((pod) => pod.metadata.deletionTimestamp === undefined).toSorted(newestFirst)[0];
}

/** Whether the agent's process runs, Ready or not. */
export function isRunning(pod: Pod): boolean {
  const container = pod.status?.containerStatuses?.find(({ name }) => name === AGENT_CONTAINER);
  return container?.state?.running !== undefined;
}

/** Whether a pod has the current template of the Deployment. */
export function isOfNewestTemplate(pod: Pod, { children: { deployment } }: Inputs): boolean {
  if (deployment.standing !== 'Ours') return false;
  const newest = deployment.object.spec?.template.metadata?.annotations?.[TEMPLATE_HASH_ANNOTATION];
  return newest !== undefined && pod.metadata.annotations?.[TEMPLATE_HASH_ANNOTATION] === newest;
}

function newestFirst(a: Pod, b: Pod): number {
  const [first, second] = [a, b].map((pod) => `${pod.metadata.creationTimestamp ?? ''} ${pod.metadata.name}`);
  return (first ?? '') > (second ?? '') ? -1 : 1;
}
