import type { JsonObject, Json } from '../json.ts';
import type { Resource } from '../resources/index.ts';
import type { User } from '../tokens.ts';
import { APPLY_PATCH } from './patcher.ts';
import type { Representation } from './presentation.ts';
import { fieldErrors } from '../schema/index.ts';
import { invalid, type FieldError, badRequest, unsupportedMediaType } from '../status.ts';
import type { ServerResponse } from 'node:http';

/** One request for a resource, with its body read. */
export interface RestRequest {
  readonly method: string;
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
  readonly representation: Representation;
  readonly body: RequestBody;
  readonly userAgent: string;
  readonly user: User;
}

/** `warnings`: texts for the Warning headers of the response; handlers add to them. */
export type Call = RestRequest & { readonly warnings: string[] };

/** Parses a write call. `options`: the kind of its query parameters. Throws 422. */
export function writeRequestOf(call: Call, options: WriteQueryOptions['options']): WriteRequest {
  const { resource, namespace, name, subresource, query, body, user, warnings, userAgent } = call;
  const isApply = options === 'PatchOptions' && body.type === APPLY_PATCH;
  return {
    resource,
    namespace,
    name,
    subresource,
    warnings,
    caller: { user, subresource, options: optionsOf(query) },
    ...parseWriteQuery(query, { options, isApply, userAgent }),
  };
}

/** The fields of CreateOptions and UpdateOptions in a query. */
function optionsOf(query: URLSearchParams): JsonObject {
  const dryRun = query.getAll('dryRun');
  const options: JsonObject = dryRun.length === 0 ? {} : { dryRun };
  for (const key of ['fieldManager', 'fieldValidation']) {
    const value = query.get(key) ?? '';
    if (value !== '') options[key] = value;
  }
  return options;
}

const MAX_MANAGER = 128;
const FIELD_VALIDATION = ['', 'Ignore', 'Strict', 'Warn'];

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** A create, update, patch or apply: its path and query. */
export interface WriteRequest {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  /** Absent for a POST. */
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly manager: string;
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly fieldValidation: FieldValidation;
  /** Texts for the Warning headers of the response; handlers add to them. */
  readonly warnings: string[];
  /** The caller, for admission. Absent for the server's own writes, which are not reviewed. */
  readonly caller?: Caller;
}

export interface Caller {
  readonly user: User;
  /** The subresource in the path. */
  readonly subresource: string | undefined;
  /** The query parameters that are fields of CreateOptions and UpdateOptions. */
  readonly options: JsonObject;
}

export interface WriteQueryOptions {
  /** The kind that errors name. */
  options: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions';
  isApply: boolean;
  userAgent: string;
}

/** The query parameters of writes. Throws 422. */
function parseWriteQuery(
  query: URLSearchParams,
  { options, isApply, userAgent }: WriteQueryOptions,
): Pick<WriteRequest, 'manager' | 'dryRun' | 'force' | 'fieldValidation'> {
  const manager = query.get('fieldManager') ?? '';
  const dryRun = query.getAll('dryRun');
  const fieldValidation = query.get('fieldValidation') ?? '';
  const errors: FieldError[] = [];
  if (isApply && manager === '') errors.push(fieldErrors.required('fieldManager', 'is required for apply patch'));
  if (options === 'PatchOptions' && !isApply && query.has('force'))
    errors.push(fieldErrors.forbidden('force', 'may not be specified for non-apply patch'));
  errors.push(...managerErrors(manager));
  if (dryRun.some((value) => value !== 'All')) errors.push(fieldErrors.notSupported('dryRun', dryRun, ['All']));
  if (!FIELD_VALIDATION.includes(fieldValidation))
    errors.push(fieldErrors.notSupported('fieldValidation', fieldValidation, FIELD_VALIDATION));
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: options }, '', errors);
  return {
    // The default in the API reference: the user agent before its first slash.
    manager: manager === '' ? (userAgent.split('/')[0] ?? '').slice(0, MAX_MANAGER) || 'unknown' : manager,
    dryRun: dryRun.length > 0,
    force: ['true', '1'].includes(query.get('force') ?? ''),
    fieldValidation: fieldValidation === 'Strict' || fieldValidation === 'Ignore' ? fieldValidation : 'Warn',
  };
}

function managerErrors(manager: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > MAX_MANAGER) errors.push(fieldErrors.tooLong('fieldManager', MAX_MANAGER));
  if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(manager))
    errors.push(fieldErrors.invalid('fieldManager', manager, 'may have printable characters only'));
  return errors;
}

const OBJECT_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** The body of a request. The handler parses it, because it knows the expected type. */
export class RequestBody {
  /** Media type, without parameters. */
  readonly type: string;
  readonly text: string;
  readonly #parse: () => Json;

  constructor(type: string, text: string, parse: () => Json) {
    this.type = type;
    this.text = text;
    this.#parse = parse;
  }

  /** Throws 400 for a syntax error. */
  parse(): Json {
    try {
      return this.#parse();
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw badRequest(`the request's body cannot be parsed as ${this.type}: ${error.message}`);
    }
  }

  /** Parses the body in a media type of API objects. Throws 400, and 415 for other media types. */
  object(): Json {
    if (!OBJECT_TYPES.includes(this.type)) throw unsupportedMediaType(OBJECT_TYPES);
    return this.parse();
  }

  /** Like `object`, but undefined if the body is empty. Throws 400 and 415. */
  value(): Json | undefined {
    return this.text === '' ? undefined : this.object();
  }
}

/** A response: a document, or a stream. */
export type Reply =
  | {
      readonly status: number;
      readonly body: string;
      readonly contentType?: string;
      readonly warnings?: readonly string[];
      readonly headers?: Record<string, string>;
    }
  | {
      readonly status: 200;
      readonly contentType?: string;
      readonly warnings?: readonly string[];
      readonly headers?: Record<string, string>;
      readonly stream: (response: ServerResponse) => void;
      /** The stream sets the status itself. */
      readonly deferred?: true;
    };

export function json(status: number, value: unknown, warnings: readonly string[] = []): Reply {
  return { status, body: JSON.stringify(value), warnings };
}

/** kube-apiserver's response for an unknown path. */
export function pageNotFound(): Reply {
  return { status: 404, body: '404 page not found\n', contentType: 'text/plain; charset=utf-8' };
}
