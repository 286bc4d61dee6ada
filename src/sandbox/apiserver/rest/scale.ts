import { at, clone, isObject, textOr, type Json, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { applyJsonPatch, applyMergePatch } from '../patch/index.ts';
import type { Resource, ScalePaths } from '../resources/index.ts';
import { badRequest, noSuchResource } from '../status.ts';

/** The autoscaling/v1 Scale of an object. */
export function readScale(object: ApiObject, { scale }: Resource): JsonObject {
  if (scale === undefined) throw noSuchResource();
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = scale.labelSelectorPath === undefined ? undefined : read(object, scale.labelSelectorPath);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: read(object, scale.specReplicasPath) ?? 0 },
    status: {
      replicas: read(object, scale.statusReplicasPath) ?? 0,
      ...(selector === undefined ? {} : { selector: isObject(selector) ? labelText(selector) : selector }),
    },
  };
}

/** The object with the replicas of the Scale that a PUT or PATCH of its subresource makes. Throws 400. */
export function writeScale(
  object: ApiObject,
  resource: Resource,
  body: Json,
  method: string,
  contentType: string,
): ApiObject {
  const scale = readScale(object, resource);
  const next =
    method === 'PUT'
      ? body
      : contentType.startsWith('application/json-patch')
        ? applyJsonPatch(scale, body)
        : applyMergePatch(scale, body);
  const replicas = at(next, 'spec', 'replicas') ?? 0;
  if (typeof replicas !== 'number' || !Number.isInteger(replicas) || replicas < 0) {
    throw badRequest(
      `Scale: spec.replicas: Invalid value: ${JSON.stringify(replicas)}: must be greater than or equal to 0`,
    );
  }
  const version = at(next, 'metadata', 'resourceVersion');
  const result = clone(object);
  if (typeof version === 'string') result.metadata.resourceVersion = version;
  write(result, resource.scale, replicas);
  return result;
}

function keys(path: string): string[] {
  return path.split('.').filter((key) => key !== '');
}

function read(object: ApiObject, path: string): Json | undefined {
  return at(object, ...keys(path));
}

function write(object: JsonObject, scale: ScalePaths | undefined, replicas: number): void {
  const path = keys(scale?.specReplicasPath ?? '');
  const last = path.pop();
  let here = object;
  for (const key of path) {
    const inner = here[key];
    here[key] = isObject(inner) ? inner : {};
    here = here[key]; // just made sure of
  }
  if (last !== undefined) here[last] = replicas;
}

/** A LabelSelector's matchLabels as text. */
function labelText(selector: JsonObject): string {
  const labels = isObject(selector['matchLabels']) ? selector['matchLabels'] : {};
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${textOr(value)}`)
    .join(',');
}
