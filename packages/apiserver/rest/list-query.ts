import type { ApiObject } from '../objects.ts';
import type { Resource } from '../resources/index.ts';
import { parseFieldSelector, parseLabelSelector } from '../selectors.ts';
import { badRequest, StatusError } from '../status.ts';

/** The namespace and selectors of a list or a watch. */
export interface Selection {
  readonly matches: (object: ApiObject) => boolean;
  /** There is no label and no field selector. */
  readonly isEverything: boolean;
}

/** The parameters of a list, a watch and a deletecollection (metav1.ListOptions). */
export interface ListQuery {
  readonly selection: Selection;
  /** 0: no limit. */
  readonly limit: number;
  readonly continue: string;
  /** '': the latest; '0': any. */
  readonly resourceVersion: string;
  readonly match: string;
  readonly timeoutSeconds: number;
  readonly bookmarks: boolean;
  /** A watch starts with ADDED events for the present objects. */
  readonly sendInitialEvents: boolean;
}

/** Parses a query. Throws 400 for syntax errors. Accepts invalid combinations of parameters. */
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
  const match = query.get('resourceVersionMatch') ?? '';
  // A watch without a version, or with version 0, starts with the present objects unless sendInitialEvents is false.
  const isFromStart = verb === 'watch' && match === '' && ['', '0'].includes(resourceVersion);
  return {
    resourceVersion,
    continue: query.get('continue') ?? '',
    match,
    selection,
    limit,
    timeoutSeconds,
    bookmarks: isTrue(query, 'allowWatchBookmarks'),
    sendInitialEvents: query.has('sendInitialEvents') ? isTrue(query, 'sendInitialEvents') : isFromStart,
  };
}

/** Whether a boolean parameter is true: it has any value except `0` and `false`. */
export function isTrue(query: URLSearchParams, key: string): boolean {
  const value = query.get(key);
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

function parseInteger(text: string | null): number {
  if (text === null) return 0;
  if (/^[-+]?\d+$/.test(text)) return Number(text);
  throw badRequest(`${JSON.stringify(text)} is not an integer`);
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

/** Parses a resourceVersion; '' is 0. Throws `code` if it is not a number: kube-apiserver has 500 for a GET and a watch. */
export function readResourceVersion(text: string, code: 400 | 500 = 500): number {
  if (text === '') return 0;
  if (/^\d+$/.test(text)) return Number(text);
  throw new StatusError(
    code,
    code === 400 ? 'BadRequest' : '',
    `resourceVersion: ${JSON.stringify(text)} is not a number`,
  );
}

/** 504 for a resourceVersion that is in the future. */
export function tooLarge(revision: number, current: number): StatusError {
  return new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${revision}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}
