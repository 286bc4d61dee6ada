import { ApiError, isNotFound, TransportError, unlessGone } from './errors.ts';
import { lines } from './lines.ts';
import { apiVersionOf, type Draft, type Kind, type KubeObject, type ObjectList, type ObjectRef } from './objects.ts';
import type {
  ApplyOptions,
  DeleteOptions,
  InTurn,
  ListOptions,
  PatchType,
  RequestOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './request-options.ts';
import { broken, parseJson, parseStatus, readBytes, readText, whole } from './response-body.ts';
import { collectionPath, objectPath, withQuery } from './rest-paths.ts';
import {
  ACCEPT,
  ACCEPT_METADATA,
  ACCEPT_METADATA_LIST,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';

export interface ClientOptions {
  transport: Transport;
  /** Field manager of all writes of this client. */
  fieldManager: string;
  userAgent?: string;
  /** Called for each response; status 0 if there was none. */
  onResponse?: (method: string, status: number) => void;
  /** Called before each request except GET; what it throws is the request's error. */
  beforeWrite?: () => void;
  /** Runs each request except watches, at once or later. Default: at once. */
  inTurn?: InTurn;
  /** Whether its requests wait neither for a turn nor for the connections of others. Default false. */
  isUrgent?: boolean;
  /** Removes managedFields, half of an object's size, from all objects that it returns. Default false. */
  omitsManagedFields?: boolean;
}

const PATCH_CONTENT_TYPE: Record<PatchType | 'apply', string> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/**
 * The `resourceVersion` of an apply that can only create: no object has it, so kube-apiserver ignores it for a new object, and refuses to
 * change an existing one (409). After a POST the fields would belong to an `Update`, and a later apply could not remove them.
 */
export const ABSENT_VERSION = '1';

/**
 * A client for the Kubernetes REST API with typed kinds. Each method throws ApiError for a response that is not 2xx and
 * TransportError if there is no response.
 */
export class KubeClient {
  readonly fieldManager: string;
  readonly #transport: Transport;
  readonly #userAgent: string;
  readonly #onResponse: (method: string, status: number) => void;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#transport = options.transport;
    this.fieldManager = options.fieldManager;
    this.#userAgent = options.userAgent ?? options.fieldManager;
    this.#onResponse = options.onResponse ?? (() => undefined);
  }

  async get<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, options: RequestOptions = {}): Promise<T> {
    return await this.#json<T>({
      method: 'GET',
      path: objectPath(kind, ref),
      ...accepting(kind, ACCEPT_METADATA),
      ...abortable(options.signal),
    });
  }

  /** Like `get`, but returns undefined for 404. */
  async find<T extends KubeObject>(
    kind: Kind<T>,
    ref: ObjectRef,
    options: RequestOptions = {},
  ): Promise<T | undefined> {
    return await unlessGone(() => this.get(kind, ref, options));
  }

  /** Reads one page; pass its `metadata.continue` to read the next. */
  async list<T extends KubeObject>(kind: Kind<T>, options: ListOptions = {}): Promise<ObjectList<T>> {
    const { namespace, signal, ...query } = options;
    const answer = await this.#json<Omit<ObjectList<T>, 'items'> & { items: T[] | null }>({
      method: 'GET',
      path: withQuery(collectionPath(kind, namespace), { ...query }),
      ...accepting(kind, ACCEPT_METADATA_LIST),
      ...abortable(signal),
    });
    // kube-apiserver writes an empty list of metadata alone as null.
    const page: ObjectList<T> = { ...answer, items: answer.items ?? [] };
    // Servers omit both fields from list items of built-in kinds.
    const type = { apiVersion: apiVersionOf(kind), kind: kind.kind };
    for (const item of page.items) Object.assign(item, type);
    return page;
  }

  async create<T extends KubeObject>(kind: Kind<T>, object: Draft<T>, options: WriteOptions = {}): Promise<T> {
    return await this.#json<T>({
      method: 'POST',
      path: withQuery(collectionPath(kind, object.metadata.namespace), this.#writeQuery(options)),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...object, apiVersion: apiVersionOf(kind), kind: kind.kind }),
      ...abortable(options.signal),
    });
  }

  /** Replaces the object; fails with a conflict if `metadata.resourceVersion` is set and outdated. */
  async replace<T extends KubeObject>(kind: Kind<T>, object: T, options: WriteOptions = {}): Promise<T> {
    return await this.#json<T>({
      method: 'PUT',
      path: withQuery(objectPath(kind, object.metadata, options.subresource), this.#writeQuery(options)),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(object),
      ...abortable(options.signal),
    });
  }

  async patch<T extends KubeObject>(
    kind: Kind<T>,
    ref: ObjectRef,
    type: PatchType,
    patch: unknown,
    options: WriteOptions = {},
  ): Promise<T> {
    return await this.#json<T>({
      method: 'PATCH',
      path: withQuery(objectPath(kind, ref, options.subresource), this.#writeQuery(options)),
      headers: { 'content-type': PATCH_CONTENT_TYPE[type] },
      body: JSON.stringify(patch),
      ...abortable(options.signal),
    });
  }

  /**
   * Server-side apply: creates the object, or sets the given fields and removes fields that were applied before and are
   * now absent.
   */
  async apply<T extends KubeObject>(kind: Kind<T>, object: Draft<T>, options: ApplyOptions = {}): Promise<T> {
    const { name, namespace } = object.metadata;
    if (name === undefined) throw new TypeError(`apply of a ${kind.kind} without a name`);
    return await this.#json<T>({
      method: 'PATCH',
      path: withQuery(
        objectPath(kind, { name, ...(namespace === undefined ? {} : { namespace }) }, options.subresource),
        {
          ...this.#writeQuery(options),
          fieldManager: options.fieldManager ?? this.fieldManager,
          force: options.force === true ? 'true' : undefined,
          // The warnings of an API server are not read, and for them it parses the object twice.
          fieldValidation: 'Ignore',
        },
      ),
      headers: { 'content-type': PATCH_CONTENT_TYPE.apply },
      body: JSON.stringify({ ...object, apiVersion: apiVersionOf(kind), kind: kind.kind }),
      ...abortable(options.signal),
    });
  }

  /** Deletes an object. Returns false if it does not exist. */
  async delete<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, options: DeleteOptions = {}): Promise<boolean> {
    const { uid, resourceVersion, signal, ...rest } = options;
    const preconditions =
      uid === undefined && resourceVersion === undefined ? {} : { preconditions: { uid, resourceVersion } };
    try {
      await this.#json({
        method: 'DELETE',
        path: objectPath(kind, ref),
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', ...rest, ...preconditions }),
        ...abortable(signal),
      });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  /**
   * Streams changes from `resourceVersion` on. Ends when the server ends the watch; throws TransportError if the stream
   * breaks. ERROR events are yielded, not thrown.
   */
  async *watch<T extends KubeObject>(kind: Kind<T>, options: WatchOptions): AsyncGenerator<WatchEvent<T>, void> {
    const { namespace, signal, idleTimeout, onOpen, ...query } = options;
    const request: TransportRequest = {
      method: 'GET',
      path: withQuery(collectionPath(kind, namespace), { ...query, watch: 'true', allowWatchBookmarks: 'true' }),
      ...accepting(kind, ACCEPT_METADATA),
      signal,
      ...(idleTimeout === undefined ? {} : { idleTimeout }),
    };
    const response = await this.#send(request);
    onOpen?.();
    // The API server validates objects against the schema of T.
    for await (const line of lines(response.body)) yield parseJson(line, request) as WatchEvent<T>;
  }

  /**
   * Sends any request, for subresources and non-resource paths. Returns the parsed JSON body, the text if it is not
   * JSON, or undefined if it is empty.
   */
  async request(request: TransportRequest): Promise<unknown> {
    const text = await this.#inTurn(request, async () => await readText((await this.#send(request)).body));
    if (text === '') return undefined;
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return text;
    }
  }

  /**
   * The body of a GET as it is, such as a picture.
   *
   * @param limit bytes; a larger body is a TransportError
   */
  async bytes({ path, signal }: Pick<TransportRequest, 'path' | 'signal'>, limit: number): Promise<Buffer> {
    const request = { method: 'GET' as const, path, ...abortable(signal) };
    const tooLong = (): TransportError => broken(request, new Error(`the answer has more than ${limit} bytes`));
    return await this.#inTurn(request, async () => await readBytes((await this.#send(request)).body, limit, tooLong));
  }

  /** A client with the same connection that calls `beforeWrite` before each request except GET. */
  fenced(beforeWrite: () => void): KubeClient {
    return new KubeClient({ ...this.#options, beforeWrite });
  }

  /** A client with the same connection that runs each request except watches in `turn`, and then as this one does. */
  queued(turn: InTurn): KubeClient {
    const { inTurn } = this.#options;
    const both: InTurn = (request, about) => turn(inTurn === undefined ? request : () => inTurn(request, about), about);
    return new KubeClient({ ...this.#options, inTurn: both });
  }

  /**
   * A client whose requests wait for no turn, and have connections of their own. For the few that all others depend on, such as the renewal
   * of a lease: in a storm, connections are taken or given up, and a new one takes longer than a renewal may.
   */
  urgent(): KubeClient {
    return new KubeClient({ ...this.#options, isUrgent: true });
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  async #inTurn<T>({ path, signal }: TransportRequest, exchange: () => Promise<T>): Promise<T> {
    const { inTurn, isUrgent } = this.#options;
    return await (inTurn === undefined || isUrgent === true ? exchange() : inTurn(exchange, { path, signal }));
  }

  #writeQuery(options: WriteOptions): Record<string, string | undefined> {
    return { fieldManager: this.fieldManager, dryRun: options.dryRun === true ? 'All' : undefined };
  }

  async #json<T>(request: TransportRequest): Promise<T> {
    const value = await this.request(request);
    if (typeof value !== 'object') {
      throw new TransportError(`${request.method} ${request.path}: an answer that is not JSON; is this an API server?`);
    }
    // The API server validates objects against the schema of T.
    return this.#options.omitsManagedFields === true ? withoutManagedFields(value as T) : (value as T);
  }

  async #send(request: TransportRequest): Promise<TransportResponse> {
    const headers = { accept: ACCEPT, 'user-agent': this.#userAgent, ...request.headers };
    const { isUrgent = false } = this.#options;
    if (request.method !== 'GET') this.#options.beforeWrite?.();
    let response: TransportResponse;
    try {
      response = await this.#transport.request({ ...request, headers, isUrgent });
    } catch (error) {
      this.#onResponse(request.method, 0);
      if (request.signal?.aborted === true) throw error;
      throw broken(request, error);
    }
    this.#onResponse(request.method, response.status);
    if (response.status < 200 || response.status > 299) {
      throw new ApiError(
        `${request.method} ${request.path}`,
        response.status,
        parseStatus(await readText(whole(response.body, request))),
        [response.headers['retry-after']].flat()[0],
      );
    }
    return { ...response, body: whole(response.body, request) };
  }
}

function accepting({ metadataOnly }: Kind<KubeObject>, accept: string): Pick<TransportRequest, 'headers'> {
  return metadataOnly === true ? { headers: { accept } } : {};
}

function abortable(signal: AbortSignal | undefined): RequestOptions {
  return signal === undefined ? {} : { signal };
}

/** The metadata is copied: V8 makes an object from which a field is deleted four times as large. */
function withoutManagedFields<T>(value: T): T {
  const { metadata } = value as { metadata?: { managedFields?: unknown } };
  if (metadata?.managedFields === undefined) return value;
  const { managedFields: _, ...others } = metadata;
  return { ...value, metadata: others };
}
