import type { ServerResponse } from 'node:http';
import type { ApiObject } from '../objects.ts';
import type { Resource } from '../resources/index.ts';
import { Stored, type Change } from '../store/index.ts';
import { expired, type StatusError } from '../status.ts';
import { type ApiContext, collectionOf } from './api-context.ts';
import { parseListQuery, type ListQuery, type Selection, readResourceVersion, tooLarge } from './list-query.ts';
import type { Presentation } from './presentation.ts';

const BOOKMARK_INTERVAL = 30_000;
/** The longest timeout of a watch: Node's timers cannot wait for more than 24 days. */
const MAX_SECONDS = 24 * 3600;
/** Disconnect a client that leaves this many bytes unread, to limit the server's memory. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

interface Start {
  /** The watch sends changes after this revision. */
  readonly since: number;
  /** The watch starts with ADDED events for the present objects. */
  readonly sendInitial: boolean;
}

/** Streams the changes of a collection, one JSON document per line, until the client disconnects or the timeout. */
export class Watcher {
  readonly #context: ApiContext;
  readonly #resource: Resource;
  readonly #query: ListQuery;
  readonly #presentation: Presentation;
  readonly #start: Start;

  /** Throws a StatusError for an invalid query. A revision that is too old is an event in the stream, as in kube-apiserver. */
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
    this.#query = parseListQuery(query, resource, namespace, 'watch');
    this.#start = this.#startOf(this.#query);
  }

  run(response: ServerResponse): void {
    const { clock, store, random } = this.#context;
    const { selection, bookmarks } = this.#query;
    const { since, sendInitial } = this.#start;
    const timeout = this.#query.timeoutSeconds > 0 ? this.#query.timeoutSeconds : 1800 + Math.floor(random() * 1800);
    const collection = collectionOf(store, this.#resource);
    if (sendInitial && since > store.revision) {
      this.#end(response, tooLarge(since, store.revision));
      return;
    }
    const missed = sendInitial ? [] : collection.since(since);
    if (missed === undefined) {
      this.#end(response, expired(`too old resource version: ${since} (${store.revision})`));
      return;
    }
    if (sendInitial) this.#sendInitial(response);
    for (const change of missed) this.#sendChange(response, change, selection);
    const unsubscribe = collection.subscribe((change) => {
      // A watch can start at a future revision.
      if (change.revision > since) this.#sendChange(response, change, selection);
    });
    let bookmark = clock.setTimeout(tick, BOOKMARK_INTERVAL);
    const sendBookmark = () => {
      if (bookmarks) this.#sendBookmark(response, false);
    };
    function tick(): void {
      sendBookmark();
      bookmark = clock.setTimeout(tick, BOOKMARK_INTERVAL);
    }
    const stop = () => {
      unsubscribe();
      bookmark.cancel();
      end.cancel();
    };
    const end = clock.setTimeout(
      () => {
        sendBookmark();
        // `close` comes only after the client has read everything; a write before that would be a write after end.
        stop();
        response.end();
      },
      Math.min(timeout, MAX_SECONDS) * 1000,
    );
    response.once('close', stop);
    // The client must get the headers even if there are no events yet.
    response.flushHeaders();
  }

  #startOf({ resourceVersion, sendInitialEvents }: ListQuery): Start {
    const version = readResourceVersion(resourceVersion);
    // Without a version and without initial events, the watch starts now.
    return { since: version === 0 ? this.#context.store.revision : version, sendInitial: sendInitialEvents };
  }

  #sendInitial(response: ServerResponse): void {
    const { selection, bookmarks } = this.#query;
    for (const [, stored] of collectionOf(this.#context.store, this.#resource).sorted()) {
      if (selection.matches(stored.object)) this.#send(response, 'ADDED', this.#presentation.object(stored));
    }
    if (bookmarks) this.#sendBookmark(response, true);
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

/** The object of the DELETED event if a change ends the match: its previous state, with the revision of the change. */
function departed(previous: Stored, current: Stored): Stored {
  const metadata = { ...previous.object.metadata, resourceVersion: String(current.revision) };
  const object: ApiObject = { ...previous.object, metadata };
  return new Stored(object, current.revision);
}
