import type { JsonObject } from './json.ts';

/** One error of one field: apimachinery's field.Error. */
export interface FieldError {
  field: string;
  reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueTypeInvalid'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueDuplicate'
    | 'FieldValueNotFound'
    | 'InternalError'
    | 'FieldManagerConflict'
    | 'NamespaceTerminating'
    | 'ResourceVersionTooLarge'
    | 'UnexpectedServerResponse';
  message: string;
}

/** The names of a resource in errors: `plural.group`, and `kind.group` in errors of fields. */
export interface ResourceName {
  group: string;
  kind: string;
  plural: string;
}

/** A failure response: a metav1.Status. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly code: number;
  readonly reason: string;
  readonly details: JsonObject | undefined;
  /** Texts for the Warning headers of the response. */
  readonly warnings: string[] = [];

  constructor(code: number, reason: string, message: string, details?: JsonObject) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  toJSON(): JsonObject {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

function detailsOf(resource: ResourceName, name: string, kind = resource.plural): JsonObject {
  return { name, ...(resource.group === '' ? {} : { group: resource.group }), kind };
}

function qualified(name: string, group: string): string {
  return group === '' ? name : `${name}.${group}`;
}

export function notFound(resource: ResourceName, name: string): StatusError {
  const what = qualified(resource.plural, resource.group);
  return new StatusError(404, 'NotFound', `${what} "${name}" not found`, detailsOf(resource, name));
}

/** 404 for an unknown path. */
export function noSuchResource(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function alreadyExists(resource: ResourceName, name: string): StatusError {
  const what = qualified(resource.plural, resource.group);
  return new StatusError(409, 'AlreadyExists', `${what} "${name}" already exists`, detailsOf(resource, name));
}

export function conflict(resource: ResourceName, name: string, message: string): StatusError {
  const what = qualified(resource.plural, resource.group);
  const text = `Operation cannot be fulfilled on ${what} "${name}": ${message}`;
  return new StatusError(409, 'Conflict', text, detailsOf(resource, name));
}

export function modified(resource: ResourceName, name: string): StatusError {
  return conflict(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

export function forbidden(resource: ResourceName, name: string, message: string, causes?: FieldError[]): StatusError {
  const what = qualified(resource.plural, resource.group);
  return new StatusError(403, 'Forbidden', `${what} "${name}" is forbidden: ${message}`, {
    ...detailsOf(resource, name),
    ...(causes === undefined ? {} : { causes: causes.map((cause) => ({ ...cause })) }),
  });
}

/** 422 for one or more fields. */
export function invalid(
  resource: Pick<ResourceName, 'group' | 'kind'>,
  name: string,
  errors: FieldError[],
): StatusError {
  const sentences = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))];
  const text = sentences.length === 1 ? sentences.join('') : `[${sentences.join(', ')}]`;
  return new StatusError(422, 'Invalid', `${qualified(resource.kind, resource.group)} "${name}" is invalid: ${text}`, {
    ...(name === '' ? {} : { name }),
    ...(resource.group === '' ? {} : { group: resource.group }),
    ...(resource.kind === '' ? {} : { kind: resource.kind }),
    causes: errors.map(({ reason, message, field }) => ({ reason, message, field })),
  });
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

/** 410: the history no longer contains the revision. */
export function expired(message: string): StatusError {
  return new StatusError(410, 'Expired', message);
}

export function unauthorized(): StatusError {
  return new StatusError(401, 'Unauthorized', 'Unauthorized');
}

export function methodNotAllowed(): StatusError {
  return new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  );
}

export function unsupportedMediaType(accepted: string[]): StatusError {
  return new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}

/** 500 for an error of this server or of a webhook. */
export function internalError(message: string): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** 501 for a feature that kube-apiserver has and this server does not. */
export function notImplemented(what: string): StatusError {
  return new StatusError(501, 'NotImplemented', `${what} is not implemented by the sandbox's API server`);
}
