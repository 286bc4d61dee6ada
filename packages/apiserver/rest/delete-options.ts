import { isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
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
  if (!isObject(body))
    throw badRequest(`json: cannot unmarshal ${goType(body)} into Go value of type v1.DeleteOptions`);
  const { kind = 'DeleteOptions', apiVersion = 'v1', ...options } = body;
  if (kind !== 'DeleteOptions') {
    const problem = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
    throw new StatusError(500, '', `${problem} in scheme "pkg/runtime/scheme.go:110"`);
  }
  for (const [key, isRight] of Object.entries(TYPES)) {
    const value = options[key];
    if (value === null) Reflect.deleteProperty(options, key);
    else if (value !== undefined && !isRight(value))
      throw badRequest(`json: cannot unmarshal ${goType(value)} into Go struct field DeleteOptions.${key}`);
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
  const wrong = (field: string, reason: FieldError['reason'], message: string) => {
    errors.push({ field, reason, message });
  };
  if (policy !== undefined && orphanDependents !== undefined) {
    const message = `Invalid value: ${JSON.stringify(policy)}: orphanDependents and deletionPropagation cannot be both set`;
    wrong('propagationPolicy', 'FieldValueInvalid', message);
  }
  if (policy !== undefined && !POLICIES.includes(textOr(policy))) {
    const supported = [...POLICIES, 'nil'].map((item) => JSON.stringify(item)).join(', ');
    const message = `Unsupported value: ${JSON.stringify(policy)}: supported values: ${supported}`;
    wrong('propagationPolicy', 'FieldValueNotSupported', message);
  }
  if (Array.isArray(dryRun) && dryRun.some((value) => value !== 'All')) {
    const message = `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`;
    wrong('dryRun', 'FieldValueNotSupported', message);
  }
  return errors;
}

function goType(value: Json): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
