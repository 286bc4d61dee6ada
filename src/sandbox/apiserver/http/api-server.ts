import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Aggregator } from '../aggregation/index.ts';
import type { User } from '../auth/index.ts';
import type { Discovery } from '../discovery/index.ts';
import type { Json } from '../json.ts';
import { keyOf, type ApiObject } from '../objects.ts';
import type { OpenApi } from '../openapi/index.ts';
import type { Resource } from '../resources/index.ts';
import { json, type ApiContext, type Reply, type Rest } from '../rest/index.ts';
import { methodNotAllowed, noSuchResource, notFound, notImplemented, StatusError, unauthorized } from '../status.ts';
import { podLog, requestToken, selfSubjectAccessReview, selfSubjectReview } from '../subresources/index.ts';
import { parseApiPath, type ApiPath } from './api-path.ts';
import { negotiate } from './negotiate.ts';
import { refuseImpersonation } from './refuse-impersonation.ts';
import { BodyParser, mediaType, readBody } from './read-body.ts';
import { send } from './send.ts';

export interface ApiServerOptions {
  context: ApiContext;
  rest: Rest;
  discovery: Discovery;
  openApi: OpenApi;
  aggregator: Aggregator;
  /** Audience of service accounts' tokens. */
  issuer: string;
  /** `host:port`, for /api. */
  address: () => string;
}

/** Subresources that a kube-apiserver has and this server does not, by the resource that has them. */
const MISSING: Readonly<Record<string, readonly string[]>> = {
  pods: ['exec', 'attach', 'portforward', 'proxy', 'eviction', 'binding', 'ephemeralcontainers', 'resize'],
  services: ['proxy'],
  nodes: ['proxy'],
};

const VERSION = {
  major: '1',
  minor: '34',
  gitVersion: 'v1.34.0+groundcrew',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
};

/** Takes an HTTP request to the part that answers it. */
export class ApiServer {
  readonly #options: ApiServerOptions;
  readonly #bodies = new BodyParser();

  constructor(options: ApiServerOptions) {
    this.#options = options;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      refuseImpersonation(request);
      const url = new URL(request.url ?? '/', 'https://localhost');
      const reply = this.#open(url) ?? (await this.#answer(request, response, url, this.#authenticate(request)));
      if (reply !== undefined) send(response, reply);
    } catch (error) {
      this.#fail(response, error);
    }
  }

  /** WebSockets: only aggregated servers have any. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    try {
      refuseImpersonation(request);
      const user = this.#authenticate(request);
      const path = parseApiPath(new URL(request.url ?? '/', 'https://localhost').pathname);
      const apiService = path === undefined ? undefined : this.#options.aggregator.find(path.group, path.version);
      if (apiService === undefined)
        throw notImplemented(`upgrade to ${request.headers.upgrade ?? ''} of ${request.url ?? ''}`);
      this.#options.aggregator.upgrade(apiService, request, socket, head, user);
    } catch (error) {
      const status =
        error instanceof StatusError ? error : new StatusError(500, 'InternalError', 'Internal error occurred');
      const body = JSON.stringify(status);
      socket.end(
        `HTTP/1.1 ${status.code} ${status.reason}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      );
    }
  }

  #authenticate(request: IncomingMessage): User {
    const [scheme = '', token = ''] = (request.headers.authorization ?? '').split(' ');
    const user = scheme.toLowerCase() === 'bearer' ? this.#options.context.tokens.authenticate(token) : undefined;
    if (user === undefined) throw unauthorized();
    return user;
  }

  /** What anyone may ask. */
  #open({ pathname }: URL): Reply | undefined {
    if (/^\/(healthz|livez|readyz)(\/ping)?$/.test(pathname))
      return { status: 200, body: 'ok', contentType: 'text/plain; charset=utf-8' };
    return pathname === '/version' || pathname === '/version/' ? json(200, VERSION) : undefined;
  }

  async #answer(request: IncomingMessage, response: ServerResponse, url: URL, user: User): Promise<Reply | undefined> {
    const { pathname } = url;
    const [, root = '', group = '', version = ''] = pathname.split('/');
    if (root === 'openapi') return this.#openApi(pathname);
    const apiService = root === 'apis' && version !== '' ? this.#options.aggregator.find(group, version) : undefined;
    if (apiService !== undefined) {
      this.#options.aggregator.forward(apiService, request, response, user);
      return undefined;
    }
    const path = parseApiPath(pathname);
    if (path === undefined) return this.#discover(request, pathname);
    return await this.#resource(request, url, path, user);
  }

  #discover(request: IncomingMessage, pathname: string): Reply {
    const { discovery, address } = this.#options;
    if (request.method !== 'GET') throw methodNotAllowed();
    const [root, group, version] = pathname.split('/').filter((part) => part !== '');
    const documents: Record<string, () => unknown> = {
      api: () => (group === undefined ? discovery.core(address()) : discovery.resources('', group)),
      apis: () =>
        group === undefined
          ? discovery.groups()
          : version === undefined
            ? discovery.group(group)
            : discovery.resources(group, version),
    };
    if (root === undefined)
      return json(200, {
        paths: ['/api', '/api/v1', '/apis', '/healthz', '/livez', '/openapi/v3', '/readyz', '/version'],
      });
    const document = documents[root]?.();
    return document === undefined ? pageNotFound() : json(200, document);
  }

  #openApi(pathname: string): Reply {
    const { openApi } = this.#options;
    // kubectl turns to version 2 for kinds that it does not find in version 3: there are none there.
    if (pathname === '/openapi/v2')
      return { status: 200, body: '', contentType: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' };
    if (pathname === '/openapi/v3' || pathname === '/openapi/v3/') return json(200, openApi.index());
    const text = pathname.startsWith('/openapi/v3/')
      ? openApi.document(pathname.slice('/openapi/v3/'.length))
      : undefined;
    return text === undefined ? pageNotFound() : { status: 200, body: text };
  }

  async #resource(request: IncomingMessage, url: URL, path: ApiPath, user: User): Promise<Reply> {
    const { registry } = this.#options.context;
    const { group, version, plural } = path;
    const isReview = group === 'authorization.k8s.io' || group === 'authentication.k8s.io';
    const resource = registry.find(group, version, plural);
    if (resource === undefined && !isReview) {
      if (!registry.all().some((other) => other.group === group && other.version === version)) return pageNotFound();
      throw noSuchResource();
    }
    const contentType = mediaType(request);
    const body = await this.#bodies.parse(await readBody(request), contentType, resource?.kind ?? plural);
    if (resource === undefined) return review(path, request.method ?? '', body, user);
    const special = this.#special(request.method ?? '', resource, path, url.searchParams, body);
    if (special !== undefined) return special;
    return this.#options.rest.handle({
      method: request.method ?? '',
      resource,
      namespace: path.namespace,
      name: path.name,
      subresource: path.subresource,
      query: url.searchParams,
      representation: negotiate(request.headers.accept),
      contentType,
      body,
      userAgent: request.headers['user-agent'] ?? '',
      user,
    });
  }

  /** Subresources that are more than a view of their object. */
  #special(
    method: string,
    resource: Resource,
    path: ApiPath,
    query: URLSearchParams,
    body: Json | undefined,
  ): Reply | undefined {
    const { context, issuer } = this.#options;
    const { store, tokens } = context;
    const { plural, subresource } = path;
    if (resource.group !== '' || subresource === undefined) return undefined;
    const [first = ''] = subresource.split('/');
    if (plural === 'pods' && subresource === 'log') {
      if (method !== 'GET') throw methodNotAllowed();
      return {
        status: 200,
        contentType: 'text/plain',
        stream: podLog(this.#object(resource, path), query, store),
        deferred: true,
      };
    }
    if (plural === 'serviceaccounts' && subresource === 'token') {
      if (method !== 'POST') throw methodNotAllowed();
      return json(201, requestToken(this.#object(resource, path), body, { store, tokens, issuer }));
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

  #fail(response: ServerResponse, error: unknown): void {
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    if (error instanceof StatusError) {
      if (error.code === 413) response.setHeader('connection', 'close');
      send(response, json(error.code, error));
      return;
    }
    this.#options.context.logger.error({ error }, 'request failed');
    send(
      response,
      json(
        500,
        new StatusError(
          500,
          'InternalError',
          `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`,
        ),
      ),
    );
  }
}

function pageNotFound(): Reply {
  return { status: 404, body: '404 page not found\n', contentType: 'text/plain; charset=utf-8' };
}

function review({ plural, version }: ApiPath, method: string, body: Json | undefined, user: User): Reply {
  const isSelfAccess = plural === 'selfsubjectaccessreviews';
  if (version !== 'v1' || (!isSelfAccess && plural !== 'selfsubjectreviews')) throw noSuchResource();
  if (method !== 'POST') throw methodNotAllowed();
  return json(201, isSelfAccess ? selfSubjectAccessReview(body) : selfSubjectReview(user));
}
