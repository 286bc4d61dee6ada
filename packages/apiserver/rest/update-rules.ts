import type { ApiObject } from '../objects.ts';
import { badRequest, conflict, invalid, modified, StatusError } from '../status.ts';
import type { WriteRequest } from './call.ts';
import { clone } from '../json.ts';

/** Checks that the object has the name and namespace of the path; sets a missing namespace. Throws 400. */
export function checkTarget({ resource, namespace, name = '' }: WriteRequest, { metadata }: ApiObject): void {
  if (resource.namespaced && namespace !== undefined) {
    if ((metadata.namespace ?? '') === '') metadata.namespace = namespace;
    if (metadata.namespace !== namespace)
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  const given = (metadata.name as string | undefined) ?? ''; // a body may leave it out
  if (given === '')
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
}

/** Checks the resourceVersion of an update (optimistic concurrency). Throws a StatusError. */
export function checkVersion({ resource, name = '' }: WriteRequest, previous: ApiObject, next: ApiObject): void {
  const given = next.metadata.resourceVersion ?? '';
  if (given !== '' && !/^\d+$/.test(given))
    throw new StatusError(500, '', `metadata.resourceVersion: ${JSON.stringify(given)} is not a number`);
  if (given === '' || /^0+$/.test(given)) {
    if (resource.unconditionalUpdate) return;
    const message = 'Invalid value: 0: must be specified for an update';
    throw invalid({ ...resource, kind: resource.plural }, name, [
      { field: 'metadata.resourceVersion', reason: 'FieldValueInvalid', message },
    ]);
  }
  if (BigInt(given) !== BigInt(previous.metadata.resourceVersion ?? '0')) throw modified(resource, name);
}

/** Checks the uid of a PUT, if it has one. `previous`: the stored object. Throws 409. */
export function checkUid(
  { resource, name = '' }: WriteRequest,
  previous: ApiObject | undefined,
  next: ApiObject,
): void {
  const uid = previous?.metadata.uid ?? '';
  const given = next.metadata.uid ?? '';
  if (given === '' || given === uid) return;
  throw conflict(resource, name, `Precondition failed: UID in precondition: ${given}, UID in object meta: ${uid}`);
}

/**
 * Restores the parts that this request cannot write from `previous`, in place: the status, or all except the status, and
 * system metadata. Metadata that the request must not change (uid, deletionTimestamp) is left for validation.
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
  // The status subresource of a custom resource cannot change labels; that of a built-in kind can.
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
