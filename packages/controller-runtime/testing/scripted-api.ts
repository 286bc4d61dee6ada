import type { KubeObject } from '../objects.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport.ts';

interface Recorded {
  resourceVersion: number;
  /** Path of the object. */
  path: string;
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: KubeObject;
}

interface Watcher {
  target: Target;
  stream: ScriptedStream;
}

interface Answer {
  status: number;
  body: unknown;
}

/** The resource that a path addresses. */
interface Target {
  /** Path of the collection in all namespaces. */
  collection: string;
  namespace?: string;
  name?: string;
}

/**
 * The storage and watches of an API server in memory, as a transport. The test decides when a watch breaks, when
 * history is compacted and which request gets no response. It has no schemas, selectors or defaults; the sandbox has a
 * full API server.
 */
export class ScriptedApi implements Transport {
  /** All requests so far, as `GET /api/v1/pods?…`. */
  readonly requests: string[] = [];
  /**
   * Called before each request. Its result or exception is the response; undefined passes the request to the storage.
   */
  intercept: (request: TransportRequest) => Promise<Answer | undefined> | Answer | undefined = () => undefined;
  /** Whether a watch from before the last compaction gets HTTP 410 or an ERROR event. */
  goneAs: 'status' | 'event' = 'status';
  /** Whether watches deliver changes; false simulates a dead connection that is not closed. */
  tellsWatchers = true;
  /** Page size, regardless of the client's limit. */
  pageSize = Number.MAX_SAFE_INTEGER;
  readonly #objects = new Map<string, KubeObject>();
  readonly #history: Recorded[] = [];
  readonly #watchers = new Set<Watcher>();
  readonly #snapshots = new Map<string, { resourceVersion: number; items: KubeObject[] }>();
  #resourceVersion = 100;
  #compacted = 0;
  #uids = 0;
  #lists = 0;

  get resourceVersion(): string {
    return String(this.#resourceVersion);
  }

  /** Number of open watches. */
  get watches(): number {
    return this.#watchers.size;
  }

  /** All objects by path. */
  get objects(): ReadonlyMap<string, KubeObject> {
    return this.#objects;
  }

  /** Creates or updates an object as another client; `path` is the path of the object. */
  put(path: string, object: Omit<KubeObject, 'metadata'> & { metadata?: object }): KubeObject {
    const { namespace, name = '' } = parse(path);
    const existing = this.#objects.get(path);
    if (existing === undefined) this.#uids += 1;
    this.#resourceVersion += 1;
    const stored: KubeObject = {
      ...object,
      metadata: {
        ...object.metadata,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        uid: existing?.metadata.uid ?? `uid-${this.#uids}`,
        resourceVersion: String(this.#resourceVersion),
      },
    };
    this.#objects.set(path, stored);
    this.#record(path, existing === undefined ? 'ADDED' : 'MODIFIED', stored);
    return stored;
  }

  delete(path: string): KubeObject | undefined {
    const existing = this.#objects.get(path);
    if (existing === undefined) return undefined;
    this.#objects.delete(path);
    this.#resourceVersion += 1;
    const metadata = { ...existing.metadata, resourceVersion: String(this.#resourceVersion) };
    this.#record(path, 'DELETED', { ...existing, metadata });
    return existing;
  }

  /** Deletes all history: older watches and continue tokens get 410. */
  compact(): void {
    this.#resourceVersion += 1;
    this.#compacted = this.#resourceVersion;
    this.#snapshots.clear();
  }

  bookmark(): void {
    const metadata = { resourceVersion: this.resourceVersion };
    for (const { stream } of this.#watchers) stream.push(line({ type: 'BOOKMARK', object: { metadata } }));
  }

  /** Ends all watches, cleanly or with a connection error. */
  endWatches(how: 'cleanly' | 'reset'): void {
    for (const { stream } of [...this.#watchers]) {
      stream.end(how === 'reset' ? Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }) : undefined);
    }
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    this.requests.push(`${request.method} ${request.path}`);
    const url = new URL(request.path, 'http://scripted');
    const scripted = await this.intercept(request);
    request.signal?.throwIfAborted();
    if (scripted !== undefined) return respond(scripted);
    const target = parse(url.pathname);
    if (request.method === 'GET' && target.name === undefined) {
      if (url.searchParams.get('watch') === 'true') return this.#watch(target, url.searchParams, request.signal);
      return respond(this.#list(target, url.searchParams));
    }
    return respond(this.#single(request, url.pathname, target));
  }

  close(): Promise<void> {
    this.endWatches('reset');
    return Promise.resolve();
  }

  #record(path: string, type: Recorded['type'], object: KubeObject): void {
    this.#history.push({ resourceVersion: this.#resourceVersion, path, type, object });
    if (!this.tellsWatchers) return;
    for (const { target, stream } of this.#watchers) if (holds(target, path)) stream.push(line({ type, object }));
  }

  #list(target: Target, query: URLSearchParams): Answer {
    const [id = '', start = '0'] = (query.get('continue') ?? '').split(':');
    let snapshot = this.#snapshots.get(id);
    if (id !== '' && snapshot === undefined) return gone('The provided continue parameter is too old');
    snapshot ??= {
      resourceVersion: this.#resourceVersion,
      items: [...this.#objects].filter(([path]) => holds(target, path)).map(([, object]) => object),
    };
    const from = Number(start);
    const to = from + Math.min(this.pageSize, Number(query.get('limit') ?? Infinity));
    if (id === '') this.#lists += 1;
    const snapshotId = id === '' ? `snapshot${this.#lists}` : id;
    this.#snapshots.set(snapshotId, snapshot);
    const more = to < snapshot.items.length ? { continue: `${snapshotId}:${to}` } : {};
    const metadata = { resourceVersion: String(snapshot.resourceVersion), ...more };
    return { status: 200, body: { metadata, items: snapshot.items.slice(from, to) } };
  }

  #watch(target: Target, query: URLSearchParams, signal: AbortSignal | undefined): TransportResponse {
    const from = Number(query.get('resourceVersion'));
    const tooOld = from < this.#compacted;
    if (tooOld && this.goneAs === 'status') return respond(gone('too old resource version'));
    const stream = new ScriptedStream(signal);
    if (tooOld) {
      stream.push(line({ type: 'ERROR', object: gone('too old resource version').body }));
      stream.end();
    } else {
      for (const { resourceVersion, path, type, object } of this.#history) {
        if (resourceVersion > from && holds(target, path)) stream.push(line({ type, object }));
      }
      const watcher = { target, stream };
      this.#watchers.add(watcher);
      stream.onEnd(() => this.#watchers.delete(watcher));
    }
    return { status: 200, headers: {}, body: stream };
  }

  #single(request: TransportRequest, path: string, target: Target): Answer {
    const body = request.body === undefined ? {} : (JSON.parse(request.body) as KubeObject);
    if (request.method === 'POST') {
      const name = (body as KubeObject).metadata.name;
      const created = `${path}/${name}`;
      if (this.#objects.has(created)) return failure(409, 'AlreadyExists', `"${name}" already exists`);
      return { status: 201, body: this.put(created, body as KubeObject) };
    }
    const existing = this.#objects.get(path);
    if (existing === undefined) return failure(404, 'NotFound', `"${target.name ?? ''}" not found`);
    if (request.method === 'PATCH') return { status: 200, body: this.put(path, { ...existing, ...body }) };
    if (request.method === 'DELETE') return { status: 200, body: this.delete(path) };
    if (request.method === 'GET') return { status: 200, body: existing };
    if ((body as KubeObject).metadata.resourceVersion !== existing.metadata.resourceVersion) {
      return failure(409, 'Conflict', 'the object has been modified');
    }
    return { status: 200, body: this.put(path, body as KubeObject) };
  }
}

function parse(path: string): Target {
  const match = /^(\/api\/[^/]+|\/apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?$/.exec(path);
  const [, root = '', namespace, plural = '', name] = match ?? [];
  return {
    collection: `${root}/${plural}`,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
}

/** Whether a collection, in one namespace or in all, contains the object with this path. */
function holds(target: Target, path: string): boolean {
  const { collection, namespace } = parse(path);
  return collection === target.collection && (target.namespace === undefined || target.namespace === namespace);
}

function gone(message: string): Answer {
  return failure(410, 'Expired', message);
}

function failure(code: number, reason: string, message: string): Answer {
  return { status: code, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message } };
}

function respond(answer: Answer): TransportResponse {
  const stream = new ScriptedStream();
  stream.push(Buffer.from(JSON.stringify(answer.body)));
  stream.end();
  return { status: answer.status, headers: {}, body: stream };
}

function line(event: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(event)}\n`);
}

/** A response body whose chunks the test pushes. */
class ScriptedStream implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
  readonly #endings: (() => void)[] = [];
  #wake: () => void = () => undefined;
  #ended = false;
  #error: Error | undefined;

  constructor(signal?: AbortSignal) {
    signal?.addEventListener('abort', () => {
      this.end(new Error('aborted'));
    });
  }

  push(chunk: Uint8Array): void {
    if (this.#ended) return;
    this.#chunks.push(chunk);
    this.#wake();
  }

  /**
   * Ends the body. Without an error, the pushed chunks are still read; with an error they are lost and the reader
   * fails.
   */
  end(error?: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    if (error !== undefined) this.#chunks.length = 0;
    for (const ending of this.#endings) ending();
    this.#wake();
  }

  onEnd(ending: () => void): void {
    this.#endings.push(ending);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) yield chunk;
        else if (this.#ended) break;
        else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
      if (this.#error !== undefined) throw this.#error;
    } finally {
      this.end();
    }
  }
}
