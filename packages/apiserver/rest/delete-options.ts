import { isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import { fieldErrors } from '../schema/index.ts';
import { badRequest, invalid, StatusError, type FieldError } from '../status.ts';

export interface DeleteRequest {
  readonly dryRun: boolean;
  /** Seconds; what is less than none counts as one. */
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: 'Background' | 'Foreground' | 'Orphan' | undefined;
  /** Preconditions. */
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  /** What was sent, without kind and version. */
  readonly options: JsonObject;
}

const POLICIES = ['Foreground', 'Background', 'Orphan'];
const TYPES: Readonly<Record<string, (value: Json) => boolean>> = {
  gracePeriodSeconds: (value) => typeof value === 'number' && Number.isInteger(value),
  orphanDependents: (value) => typeof value === 'boolean',
  propagationPolicy: (value) => typeof value === 'string',
  dryRun: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  preconditions: isObject,
};

/** DeleteOptions: those of the body, or of the query where there is none. Throws 400 and 422. */
export function parseDeleteOptions(body: Json | undefined, query: URLSearchParams): DeleteRequest {
  const options = body === undefined ? fromQuery(query) : fromBody(body);
  const errors = problems(options);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  const { gracePeriodSeconds: grace, propagationPolicy, orphanDependents, dryRun } = options;
  const preconditions = objectOr(options['preconditions']);
  const text = (value: Json | undefined) => (typeof value === 'string' ? value : undefined);
  const policy =
    orphanDependents === undefined ? text(propagationPolicy) : orphanDependents === true ? 'Orphan' : 'Background';
  return {
    dryRun: Array.isArray(dryRun) && dryRun.length > 0,
    gracePeriodSeconds: typeof grace !== 'number' ? undefined : grace < 0 ? 1 : grace,
    propagation: policy as DeleteRequest['propagation'], // one of POLICIES: checked above
    uid: text(preconditions['uid']),
    resourceVersion: text(preconditions['resourceVersion']),
    options,
  };
}

function fromBody(body: Json): JsonObject {
  if (!isObject(body)) throw badRequest('DeleteOptions must be an object');
  const { kind = 'DeleteOptions', apiVersion = 'v1', ...options } = body;
  if (kind !== 'DeleteOptions') {
    const problem = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
    throw new StatusError(500, '', `${problem} in scheme "pkg/runtime/scheme.go:110"`);
  }
  for (const [key, isRight] of Object.entries(TYPES)) {
    const value = options[key];
    if (value === null) Reflect.deleteProperty(options, key);
    else if (value !== undefined && !isRight(value))
      throw badRequest(`DeleteOptions.${key}: must have another type than that of ${JSON.stringify(value)}`);
  }
  return options;
}

/** The query of a DELETE without body has the same fields; those of the preconditions are on their own there. */
function fromQuery(query: URLSearchParams): JsonObject {
  const options: JsonObject = {};
  const preconditions: JsonObject = {};
  const given = (key: string) => query.get(key) ?? '';
  if (given('gracePeriodSeconds') !== '') {
    const seconds = Number(given('gracePeriodSeconds'));
    if (!Number.isInteger(seconds))
      throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(given('gracePeriodSeconds'))}: invalid syntax`);
    options['gracePeriodSeconds'] = seconds;
  }
  // As Go reads booleans of a query: all that does not deny is a yes.
  if (query.has('orphanDependents')) options['orphanDependents'] = !['false', '0'].includes(given('orphanDependents'));
  if (given('propagationPolicy') !== '') options['propagationPolicy'] = given('propagationPolicy');
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  if (dryRun.length > 0) options['dryRun'] = dryRun;
  for (const key of ['uid', 'resourceVersion']) if (given(key) !== '') preconditions[key] = given(key);
  if (Object.keys(preconditions).length > 0) options['preconditions'] = preconditions;
  return options;
}

function problems({ dryRun, propagationPolicy: policy, orphanDependents }: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  if (policy !== undefined && orphanDependents !== undefined) {
    const message = 'orphanDependents and deletionPropagation cannot be both set';
    errors.push(fieldErrors.invalid('propagationPolicy', policy, message));
  }
  if (policy !== undefined && !POLICIES.includes(textOr(policy)))
    errors.push(fieldErrors.notSupported('propagationPolicy', policy, [...POLICIES, 'nil']));
  if (Array.isArray(dryRun) && dryRun.some((value) => value !== 'All'))
    errors.push(fieldErrors.notSupported('dryRun', dryRun, ['All']));
  return errors;
}
