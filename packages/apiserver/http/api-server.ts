import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Aggregator } from '../aggregation/aggregator.ts';
import type { User } from '../tokens.ts';
import type { Discovery } from '../discovery/discovery.ts';
import { keyOf, type ApiObject } from '../objects.ts';
import type { OpenApi } from '../open-api.ts';
import type { Resource } from '../resources/index.ts';
import { isTrue, json, pageNotFound, type ApiContext, type Reply, type Rest, type RequestBody } from '../rest/index.ts';
import { methodNotAllowed, noSuchResource, notFound, notImplemented, StatusError, unauthorized } from '../status.ts';
import { checkLogOptions, podLog } from './pod-log.ts';
import { podProxy, proxiedPod } from './pod-proxy.ts';
import { requestToken } from './token-request.ts';
import { Reviews } from './reviews.ts';
import { parseApiPath, type ApiPath } from './api-path.ts';
import { Documents } from './documents.ts';
import { negotiate } from './negotiate.ts';
import { BodyReader } from './read-body.ts';
import { send, styleOf, type Style } from './send.ts';
import { refuseImpersonation, webSocketToken } from './credentials.ts';

export interface ApiServerOptions {
  context: ApiContext;
  rest: Rest;
  discovery: Discovery;
  openApi: OpenApi;
  aggregator: Aggregator;
  /** The default audience of service account tokens. */
  issuer: string;
  /** `host:port`, for /api. */
  address: () => string;
  onAnswer?: (answered: AnsweredRequest) => void;
  holds?: (asked: AskedRequest) => Promise<void> | undefined;
}

/** A request of an authenticated client. */
export interface AskedRequest {
  /** `system:serviceaccount:<namespace>:<name>` of a service account. */
  user: string;
  method: string;
  /** Without the query. */
  path: string;
}

/** A request that has been answered; a watch when it has ended. */
export interface AnsweredRequest extends AskedRequest {
  status: number;
}

/** Subresources of kube-apiserver that this server does not implement, by resource. */
const MISSING: Readonly<Record<string, readonly string[]>> = {
  pods: ['exec', 'attach', 'portforward', 'eviction', 'binding', 'ephemeralcontainers', 'resize'],
  services: ['proxy'],
  nodes: ['proxy'],
};

/** Dispatches an HTTP request to its handler. */
export class ApiServer {
  readonly #options: ApiServerOptions;
  readonly #documents: Documents;
  readonly #bodies = new BodyReader();
  readonly #reviews: Reviews;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    this.#reviews = new Reviews(options.context);
    this.#documents = new Documents(options);
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = urlOf(request);
    if (url === undefined) {
      await send(response, { status: 400, contentType: 'text/plain; charset=utf-8', body: '400 Bad Request' });
      return;
    }
    const style = styleOf(request, url.searchParams);
    try {
      refuseImpersonation(request);
      const reply =
        this.#documents.open(request, url) ??
        (await this.#answer(request, response, url, await this.#identify(request, response, url)));
      if (reply !== undefined) await send(response, reply, style);
    } catch (error) {
      await this.#fail(response, error, style);
    }
  }

  /**
   * Whether an upgrade request is for an aggregated server. Only these have WebSockets. For other requests, the caller
   * ignores the upgrade and calls `handle`.
   */
  takesUpgrade(request: IncomingMessage): boolean {
    try {
      return this.#upgradeTarget(request) !== undefined;
    } catch {
      // `handle` answers with the same error.
      return false;
    }
  }

  /** Forwards an upgrade request for which `takesUpgrade` is true. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const target = this.#upgradeTarget(request);
    if (target === undefined) {
      socket.destroy();
      return;
    }
    const { apiService, user, url } = target;
    const browser = webSocketToken(request);
    if (browser !== undefined) request.headers['sec-websocket-protocol'] = browser.protocols;
    const go = (): void => {
      this.#options.aggregator.upgrade(apiService, request, socket, head, user);
    };
    const held = this.#options.holds?.(askedBy(user, request, url));
    if (held === undefined) go();
    else void held.then(go);
  }

  #upgradeTarget(request: IncomingMessage): { apiService: ApiObject; user: User; url: URL } | undefined {
    refuseImpersonation(request);
    const url = urlOf(request);
    if (url === undefined) return undefined;
    const path = parseApiPath(url.pathname);
    const apiService = path === undefined ? undefined : this.#options.aggregator.find(path.group, path.version);
    return apiService === undefined ? undefined : { apiService, user: this.#authenticate(request), url };
  }

  /** The user of a request, whose answer is reported. Waits while the request is held. */
  async #identify(request: IncomingMessage, response: ServerResponse, url: URL): Promise<User> {
    const user = this.#authenticate(request);
    const { onAnswer, holds } = this.#options;
    if (onAnswer === undefined && holds === undefined) return user;
    const asked = askedBy(user, request, url);
    response.once('close', () => onAnswer?.({ ...asked, status: response.statusCode }));
    await holds?.(asked);
    if (response.destroyed) throw new Error('the client has given up');
    return user;
  }

  #authenticate(request: IncomingMessage): User {
    const { tokens } = this.#options.context;
    const [scheme = '', token = ''] = (request.headers.authorization ?? '').split(' ');
    const candidates = [scheme.toLowerCase() === 'bearer' ? token : undefined, webSocketToken(request)?.token];
    for (const candidate of candidates) {
      const user = candidate === undefined ? undefined : tokens.authenticate(candidate);
      if (user !== undefined) return user;
    }
    throw unauthorized();
  }

  async #answer(request: IncomingMessage, response: ServerResponse, url: URL, user: User): Promise<Reply | undefined> {
    const { pathname } = url;
    const [, root = '', group = '', version = ''] = pathname.split('/');
    const apiService = root === 'apis' && version !== '' ? this.#options.aggregator.find(group, version) : undefined;
    if (apiService !== undefined) {
      this.#options.aggregator.forward(apiService, request, response, user);
      return undefined;
    }
    const path = parseApiPath(pathname);
    if (path === undefined) return this.#documents.answer(request, url);
    return await this.#resource(request, url, path, user);
  }

  async #resource(request: IncomingMessage, url: URL, path: ApiPath, user: User): Promise<Reply> {
    const { registry } = this.#options.context;
    const { group, version, plural } = path;
    const isReview = group === 'authorization.k8s.io' || group === 'authentication.k8s.io';
    const resource = registry.find(group, version, plural);
    if (resource === undefined && !isReview) return this.#unknown(path);
    const method = methodOf(request);
    const watch = method === 'GET' && path.name === undefined && isTrue(url.searchParams, 'watch');
    const { representation } = negotiate(request.headers.accept, { watch });
    const body = await this.#bodies.read(request);
    const { searchParams: query } = url;
    if (resource === undefined) return this.#reviews.answer({ ...path, method, body, user });
    const special = this.#special(method, resource, path, query, body);
    if (special !== undefined) return special;
    return await this.#options.rest.handle({
      method,
      resource,
      namespace: path.namespace,
      name: path.name,
      subresource: path.subresource,
      query,
      representation,
      body,
      userAgent: request.headers['user-agent'] ?? '',
      user,
    });
  }

  #unknown({ group }: ApiPath): Reply {
    if (!this.#options.discovery.isBuiltIn(group)) return pageNotFound();
    throw noSuchResource();
  }

  /** Handles subresources that are not part of their object. */
  #special(
    method: string,
    resource: Resource,
    path: ApiPath,
    query: URLSearchParams,
    body: RequestBody,
  ): Reply | undefined {
    const { context, issuer } = this.#options;
    const { plural, subresource } = path;
    if (resource.group !== '' || subresource === undefined) return undefined;
    const [first = ''] = subresource.split('/');
    if (plural === 'pods' && subresource === 'log') {
      if (method !== 'GET') throw methodNotAllowed();
      checkLogOptions(query);
      return {
        status: 200,
        contentType: 'text/plain',
        stream: podLog(this.#object(resource, path), query, context.store),
        deferred: true,
      };
    }
    if (plural === 'pods' && first === 'proxy') {
      if (method !== 'GET') throw notImplemented(`${method} of pods/proxy`);
      const { name, port } = proxiedPod(path.name ?? '');
      const target = subresource.slice('proxy/'.length) + (query.size === 0 ? '' : `?${query.toString()}`);
      return { status: 200, stream: podProxy(this.#object(resource, { ...path, name }), port, target), deferred: true };
    }
    if (plural === 'serviceaccounts' && subresource === 'token') {
      if (method !== 'POST') throw methodNotAllowed();
      return requestToken(context, { account: this.#object(resource, path), body, issuer });
    }
    if (MISSING[plural]?.includes(first) === true) {
      this.#object(resource, path);
      throw notImplemented(`subresource ${plural}/${first}`);
    }
    return undefined;
  }

  #object(resource: Resource, { namespace, name = '' }: ApiPath): ApiObject {
    const key = keyOf({ name, ...(namespace === undefined ? {} : { namespace }) });
    const object = this.#options.context.store.collection(resource.collection).get(key)?.object;
    if (object === undefined) throw notFound(resource, name);
    return object;
  }

  async #fail(response: ServerResponse, error: unknown, style: Style): Promise<void> {
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    if (error instanceof StatusError) {
      if (error.code === 413) response.setHeader('connection', 'close');
      await send(response, json(error.code, error, error.warnings), style);
      return;
    }
    this.#options.context.logger.error({ err: error }, 'request failed');
    const text = error instanceof Error ? error.message : String(error);
    const internal = new StatusError(500, 'InternalError', `Internal error occurred: ${text}`);
    await send(response, json(500, internal), style);
  }
}

function askedBy(user: User, { method = '' }: IncomingMessage, { pathname: path }: URL): AskedRequest {
  return { user: user.name, method, path };
}

/** The URL of a request; undefined if it is invalid. As in Go, `//` at its start does not begin a host name. */
function urlOf({ url = '/' }: IncomingMessage): URL | undefined {
  return URL.parse(url.startsWith('/') ? `https://localhost${url}` : url) ?? undefined;
}

/** HEAD is handled like GET. Node does not send the body. */
function methodOf({ method = '' }: IncomingMessage): string {
  return method === 'HEAD' ? 'GET' : method;
}
