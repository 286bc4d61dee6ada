import { clone } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { WriteRequest } from './write-request.ts';

/**
 * Takes from `previous` what this request may not write, in place: the status or all but it, and the server's metadata. What
 * of that metadata the request has got wrong is left for validation to tell.
 */
export function isolate({ resource, subresource }: WriteRequest, previous: ApiObject, next: ApiObject): void {
  if (subresource === 'status') keepAllButStatus(next, previous, resource.custom);
  else if (resource.hasStatus) keep(next, previous, 'status');
  if (subresource === 'status') resource.strategy.prepareStatusUpdate?.(next, previous);
  const { metadata } = next;
  const before = previous.metadata;
  keep(metadata, before, 'generation');
  keep(metadata, before, 'creationTimestamp');
  Reflect.deleteProperty(metadata, 'selfLink');
  if ((metadata.uid ?? '') === '') keep(metadata, before, 'uid');
  if (before.deletionTimestamp !== undefined) keep(metadata, before, 'deletionTimestamp');
  if (before.deletionGracePeriodSeconds !== undefined)
    metadata.deletionGracePeriodSeconds ??= before.deletionGracePeriodSeconds;
}

function keep<T extends object>(next: T, previous: T, key: keyof T & string): void {
  if (previous[key] === undefined) Reflect.deleteProperty(next, key);
  else next[key] = structuredClone(previous[key]);
}

function keepAllButStatus(next: ApiObject, previous: ApiObject, isCustom: boolean): void {
  const { managedFields, resourceVersion } = next.metadata;
  // A custom resource's status subresource leaves even labels alone; those of built-in kinds do not.
  const metadata = isCustom ? clone(previous.metadata) : next.metadata;
  const { status } = next;
  for (const key of Object.keys(next)) Reflect.deleteProperty(next, key);
  Object.assign(next, clone(previous), { metadata });
  if (status === undefined) delete next['status'];
  else next['status'] = status;
  if (!isCustom) return;
  if (managedFields === undefined) delete metadata.managedFields;
  else metadata.managedFields = managedFields;
  if (resourceVersion !== undefined) metadata.resourceVersion = resourceVersion;
}
