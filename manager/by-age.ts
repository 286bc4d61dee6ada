import type { KubeObject } from '@groundcrew/controller-runtime';

/** Order of objects of one kind and namespace by creation time, then by name, so that all agree which of several is the oldest. */
export function byAge({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  return compare(a.creationTimestamp ?? '', b.creationTimestamp ?? '') || compare(a.name, b.name);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
