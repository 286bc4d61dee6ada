import type { Change } from '../cache/index.ts';
import type { KubeObject } from '../objects.ts';

/** Whether a change is relevant. */
export type Predicate<T extends KubeObject = KubeObject> = (change: Change<T>) => boolean;

/** Ignores updates of status alone. Changes of kinds without a generation (Secret, ConfigMap) are always relevant. */
export const generationChanged: Predicate = (change) =>
  change.type !== 'modified' ||
  change.object.metadata.generation === undefined ||
  change.object.metadata.generation !== change.previous.metadata.generation;

export const labelsChanged: Predicate = (change) =>
  change.type !== 'modified' || differ(change.object.metadata.labels, change.previous.metadata.labels);

export const annotationsChanged: Predicate = (change) =>
  change.type !== 'modified' || differ(change.object.metadata.annotations, change.previous.metadata.annotations);

/** Whether a change is relevant to any of the predicates. */
export function or<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.some((predicate) => predicate(change));
}

function differ(a: Record<string, string> = {}, b: Record<string, string> = {}): boolean {
  const names = Object.keys(a);
  return names.length !== Object.keys(b).length || names.some((name) => a[name] !== b[name]);
}
