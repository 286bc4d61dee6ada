import type { KubeObject } from './object.ts';

/** Of two objects of a kind: by creation time, and then by uid. None is older than itself. */
export function isOlder({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  const [createdA, createdB] = [a.creationTimestamp ?? '', b.creationTimestamp ?? ''];
  if (createdA !== createdB) return createdA < createdB;
  return (a.uid ?? '') < (b.uid ?? '');
}
