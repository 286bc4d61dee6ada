import { duplicateFields, type ParsedJson } from '../golang/index.ts';
import { at, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { apiVersionOf, BUILTIN_KINDS, type Resource } from '../resources/index.ts';
import {
  coerceEmbedded,
  convertTyped,
  decodeStruct,
  decodeTyped,
  dropNulls,
  prune,
  setDefaults,
  type Schema,
} from '../schema/index.ts';
import { badRequest, invalid, StatusError } from '../status.ts';
import type { RequestBody } from './request-body.ts';
import type { WriteRequest } from './write-request.ts';

/** How Go's reflection names what the kind is read into. */
const TYPE_META = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

/**
 * Makes of a request's body an object of the resource: of the right kind, with no field that its schema does not know, and
 * with defaults. What strict decoding complains of is refused, warned of or dropped as `fieldValidation` says.
 * Throws 400, 415 and 422.
 */
export function decodeObject(body: RequestBody, request: WriteRequest, metadata: Schema): ApiObject {
  const { resource } = request;
  const parsed = body.object(resource.kind);
  const object = asObject(parsed.value, body, resource);
  checkKind(object, body, request);
  if (resource.custom) object['metadata'] ??= {};
  const forgets = forgetsOwners(parsed.value, resource);
  try {
    const complaints = normalise(object, resource, metadata, parsed);
    // Of a kind that came more than once, none may be left.
    if (!resource.custom) Object.assign(object, { apiVersion: apiVersionOf(resource), kind: resource.kind });
    if (forgets) objectOr(object['metadata'])['managedFields'] = [];
    judge({ yaml: parsed.complaints, json: complaints }, request);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 400) throw error;
    throw unhandled(resource.kind, resource.version, resource, error.message);
  }
  // The kind was checked, and metadata has been decoded by its schema.
  return object as ApiObject;
}

/**
 * Prunes and defaults, in place; `parsed` tells of keys that came more than once, or that the object comes from a
 * strategic merge patch. Returns the complaints of strict
 * decoding. Throws 400 with what Go's decoder says.
 */
export function normalise(
  object: JsonObject,
  resource: Resource,
  metadata: Schema,
  parsed?: ParsedJson | 'converted',
): string[] {
  if (!resource.custom) {
    const complaints =
      parsed === 'converted'
        ? convertTyped(object, resource.schema, resource.kind)
        : decodeTyped(object, resource.schema, resource.kind, parsed?.repeated);
    resource.strategy.setDefaults?.(object as ApiObject); // decoded: has the form of its kind
    return complaints;
  }
  const duplicates =
    parsed === undefined || parsed === 'converted'
      ? []
      : duplicateFields(parsed).map((field) => `duplicate field "${field}"`);
  const own = object['metadata'];
  if (!isObject(own)) throw badRequest(`json: cannot unmarshal ${goWord(own)} into Go value of type v1.ObjectMeta`);
  const unknown = decodeStruct(own, metadata, 'ObjectMeta').map((field) => `metadata.${field}`);
  // Of another kind nothing is known.
  if (object['kind'] === resource.kind) unknown.push(...prune(object, resource.schema));
  unknown.push(...coerceEmbedded(object, resource.schema, metadata));
  setDefaults(object, resource.schema);
  dropNulls(object, resource.schema);
  return [...duplicates, ...unknown.map((field) => `unknown field ${JSON.stringify(field)}`)];
}

/**
 * Defaults what apply has made of `config`, in place. Nulls stay: of a custom resource, they are for validation to judge. Throws 500
 * for values that their schema takes and Go's types do not.
 */
export function settleApplied(object: ApiObject, config: JsonObject, resource: Resource, metadata: Schema): void {
  if (!resource.custom) {
    const [name, namespace] = ['name', 'namespace'].map((key) => textOr(at(config, 'metadata', key)));
    const kind = `${resource.group}/${resource.version}, Kind=${resource.kind}`;
    try {
      normalise(object, resource, metadata, 'converted');
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 400) throw error;
      const problem = `unable to convert unstructured object to ${kind}: ${error.message}`;
      throw new StatusError(
        500,
        '',
        `failed to convert new object (${namespace ?? ''}/${name ?? ''}; ${kind}) to proper version: ${problem}`,
      );
    }
    return;
  }
  decodeStruct(object.metadata, metadata, 'ObjectMeta');
  setDefaults(object, resource.schema);
}

/** Whether managedFields are an empty list, which is a request to forget all; Go structs tell that from none. */
export function forgetsOwners(sent: Json, { custom }: Resource): boolean {
  if (custom) return false;
  const given = at(sent, 'metadata', 'managedFields');
  return Array.isArray(given) && given.length === 0;
}

/** Throws 400 for what strict decoding complains of where that is asked for; warns of it where it is not to be ignored. */
export function judge(
  { yaml, json }: { yaml: readonly string[]; json: readonly string[] },
  { fieldValidation, warnings }: WriteRequest,
): void {
  if (fieldValidation === 'Warn') warnings.push(...yaml, ...json);
  if (fieldValidation !== 'Strict' || yaml.length + json.length === 0) return;
  const lines = yaml.length === 0 ? [] : [`yaml: unmarshal errors:\n${yaml.map((line) => `  ${line}`).join('\n')}`];
  throw badRequest(`strict decoding error: ${[...lines, ...json].join(', ')}`);
}

function asObject(value: Json, body: RequestBody, resource: Resource): JsonObject {
  if (isObject(value)) return value;
  if (value === null) return {};
  const problem = `json: cannot unmarshal ${goWord(value)} into Go value of type ${TYPE_META}`;
  throw body.unrecognized(resource.kind, `couldn't get version/kind; json parse error: ${problem}`);
}

function checkKind(object: JsonObject, body: RequestBody, { resource, fieldValidation }: WriteRequest): void {
  for (const key of ['apiVersion', 'kind']) {
    const value = object[key] ?? '';
    if (typeof value === 'string') continue;
    const problem = `json: cannot unmarshal ${goWord(value)} into Go struct field .${key} of type string`;
    throw body.unrecognized(resource.kind, `couldn't get version/kind; json parse error: ${problem}`);
  }
  const apiVersion = textOr(object['apiVersion']);
  const kind = textOr(object['kind']);
  if (apiVersion.split('/').length > 2)
    throw body.unrecognized(resource.kind, `unexpected GroupVersion string: ${apiVersion}`);
  if (!resource.custom) checkBuiltinKind(object, { apiVersion, kind }, resource);
  else if (kind === '') {
    const problem = `Object 'Kind' is missing in '${body.text}'`;
    // Where nothing is checked strictly, it has got further when it finds out.
    throw fieldValidation === 'Ignore'
      ? unhandled(resource.kind, resource.version, resource, problem)
      : body.unrecognized(resource.kind, problem);
  } else if (apiVersion !== apiVersionOf(resource))
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(resource)})`,
    );
}

interface TypeMeta {
  apiVersion: string;
  kind: string;
}

function checkBuiltinKind(object: JsonObject, given: TypeMeta, resource: Resource): void {
  const apiVersion = given.apiVersion === '' ? apiVersionOf(resource) : given.apiVersion;
  const kind = given.kind === '' ? resource.kind : given.kind;
  Object.assign(object, { apiVersion, kind });
  if (apiVersion === apiVersionOf(resource) && kind === resource.kind) return;
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const group = resource.group === '' ? 'core' : (resource.group.split('.')[0] ?? '');
  const isKnown = BUILTIN_KINDS.some((other) => apiVersionOf(other) === apiVersion && other.kind === kind);
  const reason = isKnown
    ? `converting (${version}.${kind}) to (${group}.${resource.kind}): unknown conversion`
    : unregistered(apiVersion, kind);
  throw unhandled(kind, version, resource, reason);
}

/** In the words of the scheme that kube-apiserver is built with. */
export function unregistered(apiVersion: string, kind: string): string {
  return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:110"`;
}

/** 422 where a custom object calls itself something else than its resource's kind. */
export function wrongCustomKind(object: JsonObject, resource: Resource): StatusError | undefined {
  const wanted = apiVersionOf(resource);
  const { apiVersion, kind } = object;
  const wrong = (field: string, value: Json | undefined, expected: string) => ({
    field,
    reason: 'FieldValueInvalid' as const,
    message: `Invalid value: ${JSON.stringify(value)}: must be ${expected}`,
  });
  const errors = [
    ...(kind === resource.kind ? [] : [wrong('kind', kind, resource.kind)]),
    ...(apiVersion === wanted ? [] : [wrong('apiVersion', apiVersion, wanted)]),
  ];
  if (errors.length === 0) return undefined;
  const group = textOr(apiVersion).includes('/') ? (textOr(apiVersion).split('/')[0] ?? '') : '';
  return invalid({ group, kind: textOr(kind) }, textOr(at(object, 'metadata', 'name')), errors);
}

function unhandled(kind: string, version: string, resource: Resource, reason: string): StatusError {
  return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}: ${reason}`);
}

function goWord(value: Json | undefined): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
