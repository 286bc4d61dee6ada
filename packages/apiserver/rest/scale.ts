import { arrayOr, at, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Resource, ScalePaths } from '../resources/index.ts';
import { internalError, noSuchResource } from '../status.ts';

/**
 * The autoscaling/v1 Scale of an object. `unset`: the replicas of a custom resource that has none; where there is no such
 * number, throws 500.
 */
export function readScale(object: ApiObject, { scale, custom }: Resource, unset?: number): ApiObject {
  if (scale === undefined) throw noSuchResource();
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = read(object, scale.specReplicasPath) ?? (custom ? unset : 0);
  if (replicas === undefined) throw internalError(`the spec replicas field "${scale.specReplicasPath}" does not exist`);
  const selector = scale.labelSelectorPath === undefined ? undefined : read(object, scale.labelSelectorPath);
  const selectorText = isObject(selector) ? labelText(selector) : textOr(selector);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: typeof replicas === 'number' && replicas !== 0 ? { replicas } : {},
    status: {
      replicas: read(object, scale.statusReplicasPath) ?? 0,
      ...(selectorText === '' ? {} : { selector: selectorText }),
    },
  };
}

/** Sets an object's replicas, in place. */
export function writeReplicas(object: JsonObject, scale: ScalePaths, replicas: number): void {
  const path = keys(scale.specReplicasPath);
  const last = path.pop();
  let here = object;
  for (const key of path) {
    const inner = here[key];
    here[key] = isObject(inner) ? inner : {};
    here = here[key]; // just made sure of
  }
  if (last !== undefined) here[last] = replicas;
}

export function replicasOf(scale: Json): number {
  const replicas = at(scale, 'spec', 'replicas');
  return typeof replicas === 'number' ? replicas : 0;
}

function keys(path: string): string[] {
  return path.split('.').filter((key) => key !== '');
}

function read(object: ApiObject, path: string): Json | undefined {
  return at(object, ...keys(path));
}

/** A LabelSelector as apimachinery's labels.Selector shows itself. */
function labelText(selector: JsonObject): string {
  const equal = Object.entries(objectOr(selector['matchLabels'])).map(([key, value]) => ({
    key,
    text: `${key}=${textOr(value)}`,
  }));
  const others = arrayOr(selector['matchExpressions']).map((expression) => {
    const key = textOr(at(expression, 'key'));
    return { key, text: requirement(key, textOr(at(expression, 'operator')), arrayOr(at(expression, 'values'))) };
  });
  return [...equal, ...others]
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ text }) => text)
    .join(',');
}

function requirement(key: string, operator: string, values: Json[]): string {
  const list = `(${values.map(textOr).sort().join(',')})`;
  switch (operator) {
    case 'In':
      return `${key} in ${list}`;
    case 'NotIn':
      return `${key} notin ${list}`;
    default:
      return operator === 'Exists' ? key : `!${key}`;
  }
}
