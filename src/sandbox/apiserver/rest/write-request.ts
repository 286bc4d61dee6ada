import type { Resource } from '../resources/index.ts';
import { invalid, type FieldError } from '../status.ts';

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
}

/** The query parameters of writes. `options`: the kind that errors name. Throws 422. */
export function parseWriteQuery(
  query: URLSearchParams,
  options: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions',
  userAgent: string,
): Pick<WriteRequest, 'manager' | 'dryRun' | 'force' | 'fieldValidation'> {
  const errors: FieldError[] = [];
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  if (dryRun.some((value) => value !== 'All')) errors.push(unsupported('dryRun', JSON.stringify(dryRun), ['All']));
  const fieldValidation = query.get('fieldValidation') ?? '';
  if (!['', 'Ignore', 'Strict', 'Warn'].includes(fieldValidation)) {
    errors.push(unsupported('fieldValidation', JSON.stringify(fieldValidation), ['', 'Ignore', 'Strict', 'Warn']));
  }
  const manager = query.get('fieldManager') ?? '';
  if (manager.length > 128) {
    errors.push({
      field: 'fieldManager',
      reason: 'FieldValueTooLong',
      message: 'Too long: may not be more than 128 bytes',
    });
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: options }, '', errors);
  return {
    // The default that the API documents: the user agent up to its first slash.
    manager: manager === '' ? (userAgent.split('/')[0] ?? '').slice(0, 128) || 'unknown' : manager,
    dryRun: dryRun.length > 0,
    force: ['true', '1'].includes(query.get('force') ?? ''),
    fieldValidation: fieldValidation === 'Strict' || fieldValidation === 'Ignore' ? fieldValidation : 'Warn',
  };
}

function unsupported(field: string, value: string, supported: string[]): FieldError {
  const list = supported.map((item) => JSON.stringify(item)).join(', ');
  return { field, reason: 'FieldValueNotSupported', message: `Unsupported value: ${value}: supported values: ${list}` };
}
