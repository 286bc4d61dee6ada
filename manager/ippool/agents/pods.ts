import type { Pod } from '@groundcrew/controller-runtime';
import { isPodReady } from '../../agent-workload/index.ts';
import { indexOf } from './identity.ts';

export function isReady(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && isPodReady(pod);
}

/** The pod of an agent: the Ready one, else the newest; a terminating one only if there is no other. */
export function podOf(index: number, pods: readonly Pod[]): Pod | undefined {
  return pods.filter((pod) => indexOf(pod) === index).toSorted(byUse)[0];
}

function byUse(a: Pod, b: Pod): number {
  return rank(a) - rank(b) || created(b).localeCompare(created(a));
}

function rank(pod: Pod): number {
  if (isReady(pod)) return 0;
  return pod.metadata.deletionTimestamp === undefined ? 1 : 2;
}

function created({ metadata }: Pod): string {
  return metadata.creationTimestamp ?? '';
}
