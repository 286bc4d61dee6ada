import type { ServerResponse } from 'node:http';
import type { ApiObject } from '../objects.ts';
import type { Resource } from '../resources/index.ts';
import { Stored, type Change } from '../store/index.ts';
import { expired, invalid, StatusError } from '../status.ts';
import type { ApiContext } from './api-context.ts';
import { parseSelection, type Selection } from './list-query.ts';
import { tooLarge } from './lister.ts';
import type { Presentation } from './presentation.ts';

const BOOKMARK_INTERVAL = 30_000;
/** A client that leaves this much unread is cut off: it would otherwise hold the server's memory. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

interface WatchQuery {
  readonly selection: Selection;
  /** Changes after this are sent; undefined: what is there now comes first, as ADDED. */
  readonly since: number | undefined;
  readonly bookmarks: boolean;
  readonly initialEventsEnd: boolean;
  readonly timeout: number;
}

/** Streams a collection's changes as one JSON document a line, until the client goes, the time is up or the kind is gone. */
export class Watcher {
  readonly #context: ApiContext;
  readonly #resource: Resource;
  readonly #query: WatchQuery;
  readonly #presentation: Presentation;

  /** Throws a StatusError for a bad query; a revision too old is told in the stream, as kube-apiserver does. */
  constructor(
    context: ApiContext,
    resource: Resource,
    namespace: string | undefined,
    query: URLSearchParams,
    presentation: Presentation,
  ) {
    this.#context = context;
    this.#resource = resource;
    this.#presentation = presentation;
    this.#query = {
      selection: parseSelection(query, resource, namespace),
      bookmarks: isTrue(query.get('allowWatchBookmarks')),
      timeout: parseTimeout(query.get('timeoutSeconds')) ?? 1800 + Math.floor(context.random() * 1800),
      ...parseStart(query),
    };
  }

  run(response: ServerResponse): void {
    const { clock, store } = this.#context;
    const { since, selection, timeout, bookmarks } = this.#query;
    const collection = store.collection(this.#resource.collection);
    const missed = since === undefined ? [] : collection.since(since);
    if (since !== undefined && since > store.revision) {
      this.#end(response, tooLarge(since, store.revision));
      return;
    }
    if (missed === undefined) {
      this.#end(response, expired(`too old resource version: ${since ?? 0} (${store.revision})`));
      return;
    }
    if (since === undefined) this.#sendInitial(response);
    for (const change of missed) this.#sendChange(response, change, selection);
    const unsubscribe = collection.subscribe((change) => {
      this.#sendChange(response, change, selection);
    });
    let bookmark = clock.setTimeout(tick, BOOKMARK_INTERVAL);
    const sendBookmark = () => {
      if (bookmarks) this.#sendBookmark(response, false);
    };
    function tick(): void {
      sendBookmark();
      bookmark = clock.setTimeout(tick, BOOKMARK_INTERVAL);
    }
    const end = clock.setTimeout(() => {
      sendBookmark();
      response.end();
    }, timeout * 1000);
    response.once('close', () => {
      unsubscribe();
      bookmark.cancel();
      end.cancel();
    });
    // Headers must reach the client even while there is nothing to tell.
    response.flushHeaders();
  }

  #sendInitial(response: ServerResponse): void {
    const { selection, initialEventsEnd } = this.#query;
    for (const [, stored] of this.#context.store.collection(this.#resource.collection).sorted()) {
      if (selection.matches(stored.object)) this.#send(response, 'ADDED', this.#presentation.object(stored));
    }
    if (initialEventsEnd) this.#sendBookmark(response, true);
  }

  #sendChange(response: ServerResponse, change: Change, { matches }: Selection): void {
    const { current, previous, type } = change;
    const was = previous !== undefined && matches(previous.object);
    const is = type !== 'DELETED' && matches(current.object);
    if (is) this.#send(response, was ? 'MODIFIED' : 'ADDED', this.#presentation.object(current));
    else if (was)
      this.#send(
        response,
        'DELETED',
        this.#presentation.object(type === 'DELETED' ? current : departed(previous, current)),
      );
  }

  #sendBookmark(response: ServerResponse, isInitialEnd: boolean): void {
    const annotations = isInitialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
    this.#send(response, 'BOOKMARK', this.#presentation.bookmark(String(this.#context.store.revision), annotations));
  }

  #end(response: ServerResponse, error: StatusError): void {
    this.#send(response, 'ERROR', JSON.stringify(error));
    response.end();
  }

  #send(response: ServerResponse, type: string, object: string): void {
    response.write(`{"type":"${type}","object":${object}}\n`);
    if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
  }
}

/** For an object that a change took out of the selection: its former state, at the revision of the change. */
function departed(previous: Stored, current: Stored): Stored {
  const metadata = { ...previous.object.metadata, resourceVersion: String(current.revision) };
  const object: ApiObject = { ...previous.object, metadata };
  return new Stored(object, current.revision);
}

function parseStart(query: URLSearchParams): Pick<WatchQuery, 'since' | 'initialEventsEnd'> {
  const text = query.get('resourceVersion') ?? '';
  const sendInitial = isTrue(query.get('sendInitialEvents'));
  if (query.has('sendInitialEvents') && query.get('resourceVersionMatch') !== 'NotOlderThan') {
    throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', [
      {
        field: 'resourceVersionMatch',
        reason: 'FieldValueForbidden',
        message: 'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
      },
    ]);
  }
  if (text !== '' && !/^\d+$/.test(text)) {
    throw new StatusError(
      500,
      '',
      `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
  const wantsState = text === '' || text === '0' || sendInitial;
  return { since: wantsState ? undefined : Number(text), initialEventsEnd: sendInitial };
}

function parseTimeout(text: string | null): number | undefined {
  const seconds = Number(text ?? 0);
  return Number.isInteger(seconds) && seconds > 0 ? Math.min(seconds, 24 * 3600) : undefined;
}

function isTrue(text: string | null): boolean {
  return text === 'true' || text === '1';
}
