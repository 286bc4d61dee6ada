import { isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import { fieldErrors } from '../schema/index.ts';
import { badRequest, invalid, notImplemented, type FieldError, StatusError } from '../status.ts';

export interface DeleteRequest {
  readonly dryRun: boolean;
  /** Seconds. A negative value in the request means one. */
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: 'Background' | 'Foreground' | 'Orphan' | undefined;
  /** Preconditions. */
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  /** The sent options, without kind and apiVersion. */
  readonly options: JsonObject;
}

const POLICIES = ['Foreground', 'Background', 'Orphan'];
const TYPES: Readonly<Record<string, (value: Json) => boolean>> = {
  gracePeriodSeconds: (value) => typeof value === 'number' && Number.isInteger(value),
  propagationPolicy: (value) => typeof value === 'string',
  dryRun: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  preconditions: isObject,
};

/** DeleteOptions of the body, or of the query if the body is empty. Throws 400 and 422. */
export function parseDeleteOptions(body: Json | undefined, query: URLSearchParams): DeleteRequest {
  const options = body === undefined ? fromQuery(query) : fromBody(body);
  const errors = problems(options);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  const { gracePeriodSeconds: grace, propagationPolicy, dryRun } = options;
  const preconditions = objectOr(options['preconditions']);
  const text = (value: Json | undefined) => (typeof value === 'string' ? value : undefined);
  return {
    dryRun: Array.isArray(dryRun) && dryRun.length > 0,
    gracePeriodSeconds: typeof grace !== 'number' ? undefined : grace < 0 ? 1 : grace,
    propagation: text(propagationPolicy) as DeleteRequest['propagation'], // one of POLICIES: checked above
    uid: text(preconditions['uid']),
    resourceVersion: text(preconditions['resourceVersion']),
    options,
  };
}

function fromBody(body: Json): JsonObject {
  if (!isObject(body)) throw badRequest('DeleteOptions must be an object');
  const { kind = 'DeleteOptions', apiVersion: _apiVersion, ...options } = body;
  if (kind !== 'DeleteOptions')
    throw new StatusError(500, '', `the body must be DeleteOptions, not ${JSON.stringify(kind)}`);
  if (options['orphanDependents'] !== undefined) throw noOrphanDependents();
  for (const [key, isRight] of Object.entries(TYPES)) {
    const value = options[key];
    if (value === null) Reflect.deleteProperty(options, key);
    else if (value !== undefined && !isRight(value))
      throw badRequest(`DeleteOptions.${key} cannot be ${JSON.stringify(value)}`);
  }
  return options;
}

/** The query of a DELETE without a body has the same fields, with the preconditions at the top level. */
function fromQuery(query: URLSearchParams): JsonObject {
  const options: JsonObject = {};
  const preconditions: JsonObject = {};
  const given = (key: string) => query.get(key) ?? '';
  if (given('gracePeriodSeconds') !== '') {
    const seconds = Number(given('gracePeriodSeconds'));
    if (!Number.isInteger(seconds))
      throw badRequest(`gracePeriodSeconds: ${JSON.stringify(given('gracePeriodSeconds'))} is not an integer`);
    options['gracePeriodSeconds'] = seconds;
  }
  if (query.has('orphanDependents')) throw noOrphanDependents();
  if (given('propagationPolicy') !== '') options['propagationPolicy'] = given('propagationPolicy');
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  if (dryRun.length > 0) options['dryRun'] = dryRun;
  for (const key of ['uid', 'resourceVersion']) if (given(key) !== '') preconditions[key] = given(key);
  if (Object.keys(preconditions).length > 0) options['preconditions'] = preconditions;
  return options;
}

function problems({ dryRun, propagationPolicy: policy }: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  if (policy !== undefined && !POLICIES.includes(textOr(policy)))
    errors.push(fieldErrors.notSupported('propagationPolicy', policy, [...POLICIES, 'nil']));
  if (Array.isArray(dryRun) && dryRun.some((value) => value !== 'All'))
    errors.push(fieldErrors.notSupported('dryRun', dryRun, ['All']));
  return errors;
}

function noOrphanDependents(): StatusError {
  return notImplemented('orphanDependents, which is deprecated (use propagationPolicy)');
}
