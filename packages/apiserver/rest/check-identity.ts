import type { ApiObject } from '../objects.ts';
import { badRequest, conflict, invalid, modified, StatusError } from '../status.ts';
import type { WriteRequest } from './write-request.ts';

/** Whether an object sent is for the name and namespace in the path; fills in the namespace. Throws 400. */
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

/** Whether an update is of the state that the client saw. Throws a StatusError. */
export function checkVersion({ resource, name = '' }: WriteRequest, previous: ApiObject, next: ApiObject): void {
  const given = next.metadata.resourceVersion ?? '';
  if (given !== '' && !/^\d+$/.test(given))
    throw new StatusError(500, '', `strconv.ParseUint: parsing ${JSON.stringify(given)}: invalid syntax`);
  if (given === '' || /^0+$/.test(given)) {
    if (resource.unconditionalUpdate) return;
    const message = 'Invalid value: 0: must be specified for an update';
    throw invalid({ ...resource, kind: resource.plural }, name, [
      { field: 'metadata.resourceVersion', reason: 'FieldValueInvalid', message },
    ]);
  }
  if (BigInt(given) !== BigInt(previous.metadata.resourceVersion ?? '0')) throw modified(resource, name);
}

/** A PUT that names a uid is of the object with that uid; `previous`: what is there. Throws 409. */
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
