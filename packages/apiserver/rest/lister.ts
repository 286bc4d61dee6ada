import type { Resource } from '../resources/index.ts';
import type { Entries, Store, Stored } from '../store/index.ts';
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
  return cut(within(entries, namespace, range), options.selection, range.limit, isExact ? revision : store.revision);
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

function entriesAt(collection: ReturnType<typeof collectionOf>, revision: number, start: string): Entries {
  const entries = collection.sortedAt(revision);
  if (entries !== undefined) return entries;
  if (start === '') throw expired('The resourceVersion for the provided list is too old.');
  throw expired('The provided continue parameter is too old: list again without it.');
}

/** Positions in a list. */
interface Part {
  entries: Entries;
  start: number;
  end: number;
}

/** The part of a list that is in the namespace and not on an earlier page. */
function within(entries: Entries, namespace: string | undefined, { start }: Range): Part {
  if (namespace === undefined) return { entries, start: entries.before(start), end: entries.length };
  // '0' is the character after '/'.
  const [first, end] = [entries.before(`${namespace}/`), entries.before(`${namespace}0`)];
  return { entries, start: Math.max(first, entries.before(start)), end };
}

function cut({ entries, start, end }: Part, selection: Selection, limit: number, revision: number): Page {
  const items: Stored[] = [];
  let lastKey = '';
  for (const [key, stored] of entries.slice(start, end)) {
    if (!selection.matches(stored.object)) continue;
    if (limit > 0 && items.length === limit) {
      const next = encodeContinueToken({ revision, start: `${lastKey}\0` });
      // The API omits remainingItemCount if there is a selector.
      const remaining = selection.isEverything ? { remaining: end - start - items.length } : {};
      return { items, revision, continue: next, ...remaining };
    }
    items.push(stored);
    lastKey = key;
  }
  return { items, revision };
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
