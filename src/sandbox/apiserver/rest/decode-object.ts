import { at, clone, isObject, textOr, type Json, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { apiVersionOf, type Resource } from '../resources/index.ts';
import { decodeTyped, dropNulls, prune, setDefaults, type Schema } from '../schema/index.ts';
import { badRequest, invalid, type StatusError } from '../status.ts';
import type { WriteRequest } from './write-request.ts';

/**
 * Makes of a request's JSON an object of the resource: of the right kind, with no field that its schema does not know, and
 * with defaults. Unknown fields are refused, warned of or dropped as `fieldValidation` says. Throws 400 or 422.
 */
export function decodeObject(body: Json, request: WriteRequest, metadata: Schema): ApiObject {
  const { resource } = request;
  if (!isObject(body))
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): ${JSON.stringify(body).slice(0, 60)}`,
    );
  const object = clone(body);
  checkKind(object, resource);
  object['metadata'] ??= {};
  judgeUnknown(normalise(object, resource, metadata), request);
  // The kind was checked, and metadata has been decoded by its schema.
  return object as ApiObject;
}

/** Prunes and defaults, in place. Returns the paths of unknown fields. */
export function normalise(object: JsonObject, resource: Resource, metadata: Schema): string[] {
  if (!resource.custom) {
    const unknown = decodeTyped(object, resource.schema, resource);
    resource.strategy.setDefaults?.(object as ApiObject); // decoded: has the form of its kind
    return unknown;
  }
  const own = object['metadata'];
  if (!isObject(own))
    throw badRequest(
      `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: json: cannot unmarshal ${typeof own} into Go struct field .metadata of type v1.ObjectMeta`,
    );
  const unknown = decodeTyped(own, metadata, resource, 'ObjectMeta').map((field) => `metadata.${field}`);
  unknown.push(...prune(object, resource.schema));
  setDefaults(object, resource.schema);
  dropNulls(object, resource.schema);
  return unknown;
}

function checkKind(object: JsonObject, resource: Resource): void {
  const wanted = apiVersionOf(resource);
  if (!resource.custom) {
    object['apiVersion'] ??= wanted;
    object['kind'] ??= resource.kind;
  }
  const { kind, apiVersion } = object;
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') {
    const missing = typeof kind === 'string' ? 'apiVersion' : 'Kind';
    const text = JSON.stringify(object);
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): Object '${missing}' is missing in '${text}' (${text.slice(0, 30)} ...)`,
    );
  }
  if (apiVersion === wanted && kind === resource.kind) return;
  throw resource.custom ? wrongCustomKind(object, apiVersion, kind, resource) : wrongKind(apiVersion, kind, resource);
}

function wrongCustomKind(object: JsonObject, apiVersion: string, kind: string, resource: Resource): StatusError {
  const wanted = apiVersionOf(resource);
  if (apiVersion !== wanted) {
    return badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${wanted})`,
    );
  }
  const message = `Invalid value: ${JSON.stringify(kind)}: must be ${resource.kind}`;
  return invalid({ group: resource.group, kind }, textOr(at(object, 'metadata', 'name')), [
    { field: 'kind', reason: 'FieldValueInvalid', message },
  ]);
}

function wrongKind(apiVersion: string, kind: string, resource: Resource): StatusError {
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const group = resource.group === '' ? 'core' : (resource.group.split('.')[0] ?? '');
  const reason =
    apiVersion === apiVersionOf(resource)
      ? `converting (${version}.${kind}) to (${group}.${resource.kind}): unknown conversion`
      : `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:110"`;
  return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}: ${reason}`);
}

function judgeUnknown(unknown: string[], { fieldValidation, resource, warnings }: WriteRequest): void {
  if (unknown.length === 0 || fieldValidation === 'Ignore') return;
  const sentences = unknown.map((field) => `unknown field ${JSON.stringify(field)}`);
  if (fieldValidation === 'Warn') {
    warnings.push(...sentences);
    return;
  }
  throw badRequest(
    `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: strict decoding error: ${sentences.join(', ')}`,
  );
}
