import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Discovery } from '../discovery/discovery.ts';
import type { OpenApi } from '../open-api.ts';
import { json, pageNotFound, type Reply } from '../rest/index.ts';
import { methodNotAllowed, noSuchResource } from '../status.ts';
import { asksForAggregatedDiscovery } from './negotiate.ts';

interface Options {
  discovery: Discovery;
  openApi: OpenApi;
  /** `host:port`, for /api. */
  address: () => string;
}

const VERSION = {
  major: '1',
  minor: '34',
  emulationMajor: '1',
  emulationMinor: '34',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '33',
  gitVersion: 'v1.34.0+groundcrew',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
};

const ROOT = ['/api', '/api/v1', '/apis', '/healthz', '/livez', '/openapi/v3', '/readyz', '/version'];
const TEXT = 'text/plain; charset=utf-8';
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Serves the paths without resource: health, version, discovery, OpenAPI. */
export class Documents {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Serves the paths without authentication; undefined for other paths. */
  open(request: IncomingMessage, { pathname }: URL): Reply | undefined {
    if (/^\/(healthz|livez|readyz)(\/ping)?$/.test(pathname)) return { status: 200, body: 'ok', contentType: TEXT };
    if (pathname !== '/version' && pathname !== '/version/') return undefined;
    if (request.method !== 'GET') throw methodNotAllowed();
    return json(200, VERSION);
  }

  /**
   * Serves the paths with authentication.
   *
   * @throws StatusError
   */
  answer(request: IncomingMessage, { pathname }: URL): Reply {
    const [root, ...rest] = pathname.split('/').filter((part) => part !== '');
    if (root === 'openapi') return this.#openApi(request, pathname);
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
    if (root === undefined) return json(200, { paths: ROOT });
    if (root !== 'api' && root !== 'apis') return pageNotFound();
    if (rest.length === 0 && asksForAggregatedDiscovery(request.headers.accept)) return this.#aggregated(request, root);
    return root === 'api' ? this.#core(rest) : this.#group(rest);
  }

  #core([version]: string[]): Reply {
    const { discovery, address } = this.#options;
    if (version === undefined) return json(200, discovery.core(address()));
    const document = discovery.resources('', version);
    if (document === undefined) throw noSuchResource();
    return json(200, document);
  }

  #group([group, version]: string[]): Reply {
    const { discovery } = this.#options;
    if (group === undefined) return json(200, discovery.groups());
    const document = version === undefined ? discovery.group(group) : discovery.resources(group, version);
    if (document !== undefined) return json(200, document);
    // Like kube-apiserver: a Status for unknown versions of built-in groups, plain text for other groups.
    if (discovery.isBuiltIn(group)) throw noSuchResource();
    return pageNotFound();
  }

  #aggregated({ headers }: IncomingMessage, root: 'api' | 'apis'): Reply {
    const body = JSON.stringify(this.#options.discovery.aggregated(root));
    const etag = `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"`;
    const common = { etag, vary: 'Accept', 'cache-control': 'public' };
    if (headers['if-none-match'] === etag) return { status: 304, body: '', headers: common };
    return { status: 200, body, contentType: AGGREGATED, headers: common };
  }

  #openApi({ headers: asked }: IncomingMessage, pathname: string): Reply {
    const { openApi } = this.#options;
    // kubectl requests version 2 for kinds that version 3 does not contain. An empty document has no kinds.
    if (pathname === '/openapi/v2')
      return { status: 200, body: '', contentType: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' };
    if (pathname === '/openapi/v3') return { status: 200, body: JSON.stringify(openApi.index()), contentType: TEXT };
    const path = pathname.startsWith('/openapi/v3/') ? pathname.slice('/openapi/v3/'.length) : undefined;
    const document = path === undefined ? undefined : openApi.document(path);
    if (path === undefined || document === undefined) return pageNotFound();
    const etag = `"${document.hash}"`;
    const headers = { etag, vary: 'Accept' };
    if (asked['if-none-match'] === etag) return { status: 304, body: '', headers };
    return { status: 200, body: document.text, contentType: 'application/json', headers };
  }
}
