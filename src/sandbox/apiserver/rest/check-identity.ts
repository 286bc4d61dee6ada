import type { ApiObject, Metadata } from '../objects.ts';
import { badRequest, conflict, invalid, modified, StatusError } from '../status.ts';
import type { WriteRequest } from './write-request.ts';

/** Whether an update is of the object that its path names, and of the state that the client saw. Throws a StatusError. */
export function checkIdentity(request: WriteRequest, previous: ApiObject, { metadata }: ApiObject): void {
  checkName(request, metadata);
  checkUid(request, previous, metadata);
  checkVersion(request, previous, metadata.resourceVersion ?? '');
}

function checkName({ resource, namespace, name = '' }: WriteRequest, metadata: Metadata): void {
  const given = metadata.name as string | undefined; // a body may leave it out
  if (given === undefined) metadata.name = name;
  else if (given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  if (!resource.namespaced || namespace === undefined) return;
  metadata.namespace ??= namespace;
  if (metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

function checkUid({ resource, name = '' }: WriteRequest, previous: ApiObject, metadata: Metadata): void {
  const { uid = '' } = previous.metadata;
  if (metadata.uid === undefined || metadata.uid === '' || metadata.uid === uid) return;
  throw conflict(
    resource,
    name,
    `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${uid}`,
  );
}

function checkVersion({ resource, name = '' }: WriteRequest, previous: ApiObject, given: string): void {
  if (given === '') {
    if (resource.unconditionalUpdate) return;
    const message = 'Invalid value: 0: must be specified for an update';
    throw invalid({ ...resource, kind: resource.plural }, name, [
      { field: 'metadata.resourceVersion', reason: 'FieldValueInvalid', message },
    ]);
  }
  if (!/^\d+$/.test(given))
    throw new StatusError(500, '', `strconv.ParseUint: parsing ${JSON.stringify(given)}: invalid syntax`);
  if (given !== previous.metadata.resourceVersion) throw modified(resource, name);
}
