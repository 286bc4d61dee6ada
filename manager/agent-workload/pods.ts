import type { Pod } from '@groundcrew/controller-runtime';
import { AGENT_CONTAINER } from './workload.ts';

/** Whether the pod has the condition Ready. */
export function isPodReady({ status }: Pod): boolean {
  return status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
}

/** The message of the kubelet or the scheduler about a pod that is not Ready, or ''. */
export function podTrouble(pod: Pod): string {
  const unscheduled = pod.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (unscheduled !== undefined) return sentence(unscheduled.reason, unscheduled.message);
  const container = pod.status?.containerStatuses?.find(({ name }) => name === AGENT_CONTAINER);
  const { waiting, terminated = container?.lastState?.terminated } = container?.state ?? {};
  if (waiting !== undefined) return sentence(waiting.reason, waiting.message);
  if (isPodReady(pod) || terminated === undefined) return '';
  return sentence(terminated.reason, terminated.message ?? `exit ${terminated.exitCode}`);
}

function sentence(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(': ');
}

/** The image of the agent's container. */
export function agentImage({ spec }: Pod): string | undefined {
  return spec?.containers.find(({ name }) => name === AGENT_CONTAINER)?.image;
}
