import { isObject, parseJson } from '../json.ts';
import type { Resource } from '../resources/index.ts';
import type { Collection, Store, Stored } from '../store/index.ts';
import { badRequest, expired, StatusError } from '../status.ts';
import { parseRevision, parseSelection, type Selection } from './list-query.ts';

export interface Page {
  items: Stored[];
  revision: number;
  continue?: string;
  remaining?: number;
}

const EXPIRED_CONTINUE =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** Answers a list request from the store: selection, pages, and revisions other than the last. Throws a StatusError. */
export function list(store: Store, resource: Resource, namespace: string | undefined, query: URLSearchParams): Page {
  const collection = store.collection(resource.collection);
  const selection = parseSelection(query, resource, namespace);
  const token = query.get('continue') ?? '';
  const limit = Math.max(0, Math.trunc(Number(query.get('limit') ?? 0)) || 0);
  const { start, revision } = token === '' ? { start: '', revision: wantedRevision(store, query) } : parseToken(token);
  const entries = revision === undefined ? collection.sorted() : entriesAt(collection, revision, start);
  return cut(entries, { start, limit, selection, revision: revision ?? store.revision });
}

/** The revision that a first page must show exactly; undefined for the newest. */
function wantedRevision(store: Store, query: URLSearchParams): number | undefined {
  const revision = parseRevision(query.get('resourceVersion'));
  const match = query.get('resourceVersionMatch') ?? '';
  if (match !== '' && match !== 'Exact' && match !== 'NotOlderThan')
    throw badRequest(
      `resourceVersionMatch: Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan"`,
    );
  if (revision === undefined) return undefined;
  if (revision > store.revision) throw tooLarge(revision, store.revision);
  return match === 'Exact' ? revision : undefined;
}

export function tooLarge(revision: number, current: number): StatusError {
  return new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${revision}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

function entriesAt(collection: Collection, revision: number, start: string): [string, Stored][] {
  const entries = collection.sortedAt(revision);
  if (entries === undefined)
    throw expired(start === '' ? 'The resourceVersion for the provided list is too old.' : EXPIRED_CONTINUE);
  return entries;
}

function cut(
  entries: [string, Stored][],
  { start, limit, selection, revision }: { start: string; limit: number; selection: Selection; revision: number },
): Page {
  const items: Stored[] = [];
  let lastKey = '';
  let remaining = 0;
  for (const [key, stored] of entries) {
    if (start !== '' && key <= start) continue;
    if (!selection.matches(stored.object)) continue;
    if (limit > 0 && items.length === limit) {
      remaining += 1;
      continue;
    }
    items.push(stored);
    lastKey = key;
  }
  if (remaining === 0) return { items, revision };
  const token = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: lastKey })).toString(
    'base64url',
  );
  // The API counts what is left only where nothing was filtered.
  return { items, revision, continue: token, ...(selection.isEverything ? { remaining } : {}) };
}

function parseToken(token: string): { start: string; revision: number } {
  try {
    const value = parseJson(Buffer.from(token, 'base64url').toString('utf8'));
    if (isObject(value) && typeof value['rv'] === 'number' && typeof value['start'] === 'string') {
      return { start: value['start'], revision: value['rv'] };
    }
  } catch {
    // Falls through: a token that does not parse is as bad as one that says nothing.
  }
  throw badRequest('invalid continue token: continue key is not valid');
}
