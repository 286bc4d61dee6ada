import type { Deployment, Pod, StatefulSet } from '@groundcrew/controller-runtime';
import { AGENT_CONTAINER, isPodReady, podTrouble } from '../agent-workload/index.ts';
import type { AgentFact, Trouble } from './decide-rollout.ts';

/** Waiting reasons of a container that end only with another image, setting or object. */
const HARD = [
  'CrashLoopBackOff',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
];

/** What runs the pods of an agent. */
export type Workload = Deployment | StatefulSet;

export type AgentState = Pick<AgentFact, 'isReady' | 'readySince' | 'trouble'>;

/**
 * What the pods of an agent show. It is Ready with its newest template when all its replicas are.
 *
 * @param hashAnnotation annotation of template and pods with the template's digest
 */
export function agentState(workload: Workload, pods: readonly Pod[], hashAnnotation: string): AgentState {
  const newestHash = workload.spec?.template.metadata?.annotations?.[hashAnnotation];
  const living = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const newest = living
    .filter(({ metadata }) => metadata.annotations?.[hashAnnotation] === newestHash)
    .toSorted((a, b) => created(b).localeCompare(created(a)));
  const ready = newest.filter(isPodReady);
  const isAll = ready.length >= (workload.spec?.replicas ?? 1);
  return {
    isReady: living.some(isPodReady),
    readySince: isAll ? Math.max(...ready.map(readySince)) : undefined,
    trouble: isAll
      ? { reason: '', message: '', isHard: false }
      : troubleOf(
          newest.find((pod) => !isPodReady(pod)),
          workload,
        ),
  };
}

/** 0: the condition has no time. */
function readySince({ status }: Pod): number {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return Date.parse(ready?.lastTransitionTime ?? '') || 0;
}

function troubleOf(pod: Pod | undefined, workload: Workload): Trouble {
  if (pod === undefined) {
    const failure = workload.status?.conditions?.find(
      ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
    );
    const message = failure?.message ?? 'It has no pod of its newest template yet.';
    return { reason: failure?.reason ?? 'NoPod', message, isHard: false };
  }
  const waiting = pod.status?.containerStatuses?.find(({ name }) => name === AGENT_CONTAINER)?.state?.waiting;
  const unscheduled = pod.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  const reason = unscheduled?.reason ?? waiting?.reason ?? 'NotReady';
  const said = podTrouble(pod);
  const message = `Pod ${pod.metadata.name}: ${said === '' ? 'it runs, but is not ready.' : said}`;
  return { reason, message, isHard: HARD.includes(reason) };
}

function created({ metadata }: Pod): string {
  return metadata.creationTimestamp ?? '';
}
