import type { ApiObject } from '../objects.ts';
import type { Resource } from '../resources/index.ts';
import { parseFieldSelector, parseLabelSelector } from '../selectors.ts';
import { fieldErrors } from '../schema/index.ts';
import { badRequest, invalid, type FieldError, StatusError } from '../status.ts';

/** What a list or a watch selects. */
export interface Selection {
  readonly matches: (object: ApiObject) => boolean;
  /** All of the collection, or of the namespace. */
  readonly isEverything: boolean;
}

/** The parameters of a list, of a watch and of a deletion of many (metav1.ListOptions). */
export interface ListQuery {
  readonly selection: Selection;
  /** 0: none. */
  readonly limit: number;
  readonly continue: string;
  /** '': the newest; '0': any. */
  readonly resourceVersion: string;
  readonly match: string;
  readonly timeoutSeconds: number;
  readonly bookmarks: boolean;
  /** A watch begins with what is there now, as ADDED. */
  readonly sendInitialEvents: boolean;
}

/** Reads and checks a query as kube-apiserver does. Throws 400 for what cannot be parsed, 422 for what does not go together. */
export function parseListQuery(
  query: URLSearchParams,
  resource: Resource,
  namespace: string | undefined,
  verb: 'list' | 'watch',
): ListQuery {
  const timeoutSeconds = parseInteger(query.get('timeoutSeconds'));
  const limit = Math.max(0, parseInteger(query.get('limit')));
  const selection = parseSelection(query, resource, namespace);
  const resourceVersion = query.get('resourceVersion') ?? '';
  const options: Combination = {
    resourceVersion,
    continue: query.get('continue') ?? '',
    ...(verb === 'watch' ? watchStart(query, resourceVersion) : givenStart(query)),
  };
  const errors = verb === 'watch' ? watchErrors(options) : listErrors(options);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  return {
    ...options,
    selection,
    limit,
    timeoutSeconds,
    bookmarks: isTrue(query, 'allowWatchBookmarks'),
    sendInitialEvents: options.sendInitialEvents === true,
  };
}

/** Whether a parameter is set: to anything but `0` and `false`. */
export function isTrue(query: URLSearchParams, key: string): boolean {
  const value = query.get(key);
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

interface Combination {
  resourceVersion: string;
  continue: string;
  match: string;
  sendInitialEvents: boolean | undefined;
}

type Start = Pick<Combination, 'match' | 'sendInitialEvents'>;

function givenStart(query: URLSearchParams): Start {
  return {
    match: query.get('resourceVersionMatch') ?? '',
    sendInitialEvents: query.has('sendInitialEvents') ? isTrue(query, 'sendInitialEvents') : undefined,
  };
}

/** A watch from nowhere in particular asks for the initial events, whether it knows of that parameter or not. */
function watchStart(query: URLSearchParams, resourceVersion: string): Start {
  const given = givenStart(query);
  const isLegacy = given.match === '' && given.sendInitialEvents === undefined;
  const isFromStart = resourceVersion === '' || resourceVersion === '0';
  return isLegacy && isFromStart ? { match: 'NotOlderThan', sendInitialEvents: true } : given;
}

const MATCH = 'resourceVersionMatch';

function listErrors({ match, resourceVersion, continue: token, sendInitialEvents }: Combination): FieldError[] {
  const errors: FieldError[] = [];
  if (match !== '' && resourceVersion === '')
    errors.push(fieldErrors.forbidden(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`));
  if (match !== '' && token !== '')
    errors.push(fieldErrors.forbidden(MATCH, `${MATCH} is forbidden when continue is provided`));
  if (!['', 'Exact', 'NotOlderThan'].includes(match))
    errors.push(fieldErrors.notSupported(MATCH, match, ['Exact', 'NotOlderThan', '']));
  if (match === 'Exact' && resourceVersion === '0')
    errors.push(fieldErrors.forbidden(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`));
  if (sendInitialEvents !== undefined)
    errors.push(fieldErrors.forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  return errors;
}

function watchErrors({ match, continue: token, sendInitialEvents }: Combination): FieldError[] {
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan')
    errors.push(fieldErrors.forbidden(MATCH, `sendInitialEvents requires setting ${MATCH} to NotOlderThan`));
  if (match === '') return errors;
  if (sendInitialEvents === undefined)
    errors.push(fieldErrors.forbidden(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`));
  if (match !== 'NotOlderThan') errors.push(fieldErrors.notSupported(MATCH, match, ['NotOlderThan']));
  if (token !== '') errors.push(fieldErrors.forbidden(MATCH, `${MATCH} is forbidden when continue is provided`));
  return errors;
}

function parseInteger(text: string | null): number {
  if (text === null) return 0;
  if (/^[-+]?\d+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

function parseSelection(query: URLSearchParams, resource: Resource, namespace: string | undefined): Selection {
  const labelText = query.get('labelSelector') ?? '';
  const fieldText = query.get('fieldSelector') ?? '';
  const labels = parseLabelSelector(labelText);
  const fields = parseFieldSelector(fieldText, resource);
  return {
    matches: (object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      labels(object.metadata.labels) &&
      fields(object),
    isEverything: labelText === '' && fieldText === '',
  };
}

/** A resourceVersion from a query, or what is wrong with it, in Go's words. '' and '0' are 0. */
export function parseResourceVersion(text: string): number | { problem: string } {
  if (text === '') return 0;
  if (/^\d+$/.test(text)) return Number(text);
  const quoted = JSON.stringify(text);
  return { problem: `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax` };
}

/** The resourceVersion of a GET or of a watch. Throws the 500 that kube-apiserver answers for one that is no number. */
export function readResourceVersion(text: string): number {
  const version = parseResourceVersion(text);
  if (typeof version === 'number') return version;
  throw new StatusError(500, '', version.problem);
}

/** 504 for a version that the store has not come to. */
export function tooLarge(revision: number, current: number): StatusError {
  return new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${revision}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}
