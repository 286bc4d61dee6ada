import type { User } from '../tokens.ts';
import type { JsonObject } from '../json.ts';
import type { Resource } from '../resources/index.ts';
import { fieldErrors } from '../schema/index.ts';
import { invalid, type FieldError } from '../status.ts';

const MAX_MANAGER = 128;
const FIELD_VALIDATION = ['', 'Ignore', 'Strict', 'Warn'];

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** A create, update, patch or apply, as its path and query say. */
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
  /** Sentences for the answer's Warning headers; handlers add to it. */
  readonly warnings: string[];
  /** Who sends the request, for admission. Absent for writes of the server itself, which are not reviewed. */
  readonly caller?: Caller;
}

export interface Caller {
  readonly user: User;
  /** As in the path, also where it is a view of the whole object. */
  readonly subresource: string | undefined;
  /** Those of the query's options that the API has in CreateOptions and UpdateOptions. */
  readonly options: JsonObject;
}

export interface WriteQueryOptions {
  /** The kind that errors name. */
  options: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions';
  isApply: boolean;
  userAgent: string;
}

/** The query parameters of writes. Throws 422. */
export function parseWriteQuery(
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
    // The default that the API documents: the user agent up to its first slash.
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
