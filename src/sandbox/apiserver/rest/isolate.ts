import { clone } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { WriteRequest } from './write-request.ts';

/** What of the metadata only the server writes. */
const SYSTEM = ['uid', 'creationTimestamp', 'generation', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

/** Takes from `previous` what this request may not write, in place: the status or all but it, and the server's metadata. */
export function isolate({ resource, subresource }: WriteRequest, previous: ApiObject, next: ApiObject): void {
  if (subresource === 'status') keepAllButStatus(next, previous, resource.custom);
  else if (resource.hasStatus) keep(next, previous, 'status');
  for (const key of SYSTEM) keep(next.metadata, previous.metadata, key);
  delete next.metadata['selfLink'];
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
  Object.assign(next, clone(previous), { metadata, status });
  if (managedFields !== undefined) metadata.managedFields = managedFields;
  if (resourceVersion !== undefined) metadata.resourceVersion = resourceVersion;
}
