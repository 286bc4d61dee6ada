import { at, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { apiVersionOf, type Resource } from '../resources/index.ts';
import { decode, decodeMetadata, dropNulls, fieldErrors, prune, setDefaults, type Schema } from '../schema/index.ts';
import { badRequest, invalid, StatusError } from '../status.ts';
import type { RequestBody, WriteRequest } from './call.ts';

/**
 * Decodes a request body to an object of the resource: checks the kind, prunes unknown fields and sets defaults.
 * `fieldValidation` decides whether unknown fields cause an error, a warning or nothing. Throws 400, 415 and 422.
 */
export function decodeObject(body: RequestBody, request: WriteRequest, metadata: Schema): ApiObject {
  const { resource } = request;
  const sent = body.object();
  if (!isObject(sent)) throw badRequest(`the body of the request must be an object of kind ${resource.kind}`);
  checkKind(sent, resource);
  try {
    return decodeChecked(sent, request, metadata);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 400) throw error;
    const version = JSON.stringify(resource.version);
    throw badRequest(
      `${resource.kind} in version ${version} cannot be handled as a ${resource.kind}: ${error.message}`,
    );
  }
}

/** Like `decodeObject` for the result of a patch. Changes `object`. Throws 400 and 422. */
export function decodeValue(object: JsonObject, request: WriteRequest, metadata: Schema): ApiObject {
  checkKind(object, request.resource);
  return decodeChecked(object, request, metadata);
}

function decodeChecked(object: JsonObject, request: WriteRequest, metadata: Schema): ApiObject {
  const { resource } = request;
  const forgets = forgetsOwners(object, resource);
  if (resource.custom) object['metadata'] ??= {};
  const unknown = normalise(object, resource, metadata);
  if (forgets) objectOr(object['metadata'])['managedFields'] = [];
  validateUnknownFields(unknown, request);
  // The cast is safe: the kind was checked, and metadata was decoded by its schema.
  return object as ApiObject;
}

/** Prunes and defaults, in place. Returns the paths of unknown fields. Throws 400 if a value has a wrong type. */
export function normalise(object: JsonObject, resource: Resource, metadata: Schema): string[] {
  const own = object['metadata'] ?? (object['metadata'] = {});
  if (!isObject(own)) throw badRequest('metadata: must be an object');
  const unknown = decodeMetadata(own, metadata, 'metadata');
  if (!resource.custom) {
    unknown.push(...decode(object, resource.schema));
    resource.strategy.setDefaults?.(object as ApiObject); // decoded: has the form of its kind
    return unknown;
  }
  // Do not prune an object of another kind; validation refuses it.
  if (object['kind'] === resource.kind) unknown.push(...prune(object, resource.schema));
  setDefaults(object, resource.schema);
  dropNulls(object, resource.schema);
  return unknown;
}

/** Sets defaults in an applied object, in place. Keeps nulls in a custom resource, for validation. Throws 400. */
export function settleApplied(object: ApiObject, resource: Resource, metadata: Schema): void {
  if (!resource.custom) {
    normalise(object, resource, metadata);
    return;
  }
  decodeMetadata(object.metadata, metadata);
  setDefaults(object, resource.schema);
}

/** The error (422) if the kind or apiVersion of a custom object is not that of the resource. */
export function wrongCustomKind(object: JsonObject, resource: Resource): StatusError | undefined {
  const expected = { kind: resource.kind, apiVersion: apiVersionOf(resource) };
  const errors = Object.entries(expected)
    .filter(([field, value]) => object[field] !== value)
    .map(([field, value]) => fieldErrors.invalid(field, object[field], `must be ${value}`));
  return errors.length === 0 ? undefined : invalid(resource, textOr(at(object, 'metadata', 'name')), errors);
}

/** Whether managedFields is an empty list, which means: remove all managers. */
function forgetsOwners(sent: Json, { custom }: Resource): boolean {
  const given = at(sent, 'metadata', 'managedFields');
  return !custom && Array.isArray(given) && given.length === 0;
}

/** `fieldValidation` Strict: throws 400 for unknown fields; Warn: adds warnings; Ignore: does nothing. */
function validateUnknownFields(unknown: readonly string[], { fieldValidation, warnings }: WriteRequest): void {
  const complaints = unknown.map((field) => `unknown field ${JSON.stringify(field)}`);
  if (fieldValidation === 'Warn') warnings.push(...complaints);
  if (fieldValidation === 'Strict' && complaints.length > 0)
    throw badRequest(`strict decoding error: ${complaints.join(', ')}`);
}

/** Checks kind and apiVersion. Both are optional for a built-in kind. */
function checkKind(object: JsonObject, resource: Resource): void {
  const wanted = apiVersionOf(resource);
  if (!resource.custom) {
    for (const [key, value] of Object.entries({ apiVersion: wanted, kind: resource.kind }))
      if ((object[key] ?? '') === '') object[key] = value;
  }
  const { apiVersion, kind } = object;
  if (typeof kind !== 'string' || kind === '') throw badRequest("Object 'Kind' is missing");
  if (apiVersion !== wanted)
    throw badRequest(
      `the API version in the data (${textOr(apiVersion)}) does not match the expected API version (${wanted})`,
    );
  if (!resource.custom && kind !== resource.kind)
    throw badRequest(`the kind in the data (${kind}) does not match the expected kind (${resource.kind})`);
}
