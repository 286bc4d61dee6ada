import type { Resource } from '../resources/index.ts';
import type { Store, Stored } from '../store/index.ts';
import { badRequest, expired } from '../status.ts';
import { collectionOf } from './api-context.ts';
import { parseListQuery, readResourceVersion, tooLarge, type ListQuery, type Selection } from './list-query.ts';
import { objectOr, parseJson, type Json } from '../json.ts';

export interface Page {
  items: Stored[];
  revision: number;
  continue?: string;
  remaining?: number;
}

/** The requested part of a collection, and its revision. */
interface Range {
  /** Undefined: the latest. */
  readonly revision: number | undefined;
  /** The first key that may be on the page. */
  readonly start: string;
  /** 0: no limit. */
  readonly limit: number;
}

/** Answers a list request: selectors, pages and old revisions. Throws a StatusError. */
export function list(store: Store, resource: Resource, namespace: string | undefined, query: URLSearchParams): Page {
  const collection = collectionOf(store, resource);
  const options = parseListQuery(query, resource, namespace, 'list');
  const range = options.continue === '' ? firstPage(options) : nextPage(options);
  const { revision } = range;
  if (revision !== undefined && revision > store.revision) throw tooLarge(revision, store.revision);
  const isExact = revision !== undefined && (options.continue !== '' || isExactly(options));
  const entries = isExact ? entriesAt(collection, revision, range.start) : collection.sorted();
  return cut(entries, options.selection, range, isExact ? revision : store.revision);
}

function firstPage({ resourceVersion, limit }: ListQuery): Range {
  const revision = readResourceVersion(resourceVersion, 400);
  if (resourceVersion === '') return { revision: undefined, start: '', limit };
  // kube-apiserver answers resourceVersion=0 from its watch cache, which ignores the limit.
  return revision === 0 ? { revision: undefined, start: '', limit: 0 } : { revision, start: '', limit };
}

function nextPage({ continue: token, limit }: ListQuery): Range {
  return { ...decodeContinueToken(token), limit };
}

/** Without `resourceVersionMatch`, a version with a limit means exactly this version (legacy clients). */
function isExactly({ match, limit }: ListQuery): boolean {
  return match === 'Exact' || (match === '' && limit > 0);
}

function entriesAt(collection: ReturnType<typeof collectionOf>, revision: number, start: string): [string, Stored][] {
  const entries = collection.sortedAt(revision);
  if (entries !== undefined) return entries;
  if (start === '') throw expired('The resourceVersion for the provided list is too old.');
  throw expired('The provided continue parameter is too old: list again without it.');
}

function cut(entries: [string, Stored][], selection: Selection, { start, limit }: Range, revision: number): Page {
  const items: Stored[] = [];
  let lastKey = '';
  let remaining = 0;
  for (const [key, stored] of entries) {
    if (key < start || !selection.matches(stored.object)) continue;
    if (limit > 0 && items.length === limit) {
      remaining += 1;
      continue;
    }
    items.push(stored);
    lastKey = key;
  }
  if (remaining === 0) return { items, revision };
  const next = encodeContinueToken({ revision, start: `${lastKey}\0` });
  // The API omits remainingItemCount if there is a selector.
  return { items, revision, continue: next, ...(selection.isEverything ? { remaining } : {}) };
}

const VERSION = 'meta.k8s.io/v1';

/** The start of the next page of a list. */
export interface ContinueToken {
  /** The revision of all pages. */
  readonly revision: number;
  /** The first key that may be on the page. */
  readonly start: string;
}

/** Opaque to clients. */
function encodeContinueToken({ revision, start }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start })).toString('base64url');
}

/** Throws 400. */
function decodeContinueToken(token: string): ContinueToken {
  let value: Json;
  try {
    value = parseJson(Buffer.from(token, 'base64url').toString('utf8'));
  } catch {
    value = null;
  }
  const { v, rv, start } = objectOr(value);
  if (v !== VERSION || typeof rv !== 'number' || rv === 0 || typeof start !== 'string' || start === '')
    throw badRequest('invalid continue token: continue key is not valid');
  return { revision: rv, start };
}
