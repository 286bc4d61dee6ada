import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { readBytes, type Logger, type ObjectRef } from '@groundcrew/controller-runtime';
import type { GuestSocket } from '../console/index.ts';
import type { AggregatorIdentity } from '../kubevirt/registration.ts';
import { StatusError } from '../kubevirt/status-error.ts';
import { WEBHOOKS, type AdmissionContext, type AdmissionReview } from './admission.ts';
import { SUBRESOURCE_ROUTES, type SubresourceAnswer, type SubresourceContext } from './subresources.ts';

/** Bytes of the largest body: an AdmissionReview contains two copies of an object of at most 1.5 MiB. */
const MAX_BODY = 4 * 1024 * 1024;

const SUBRESOURCE_PATH =
  /^\/apis\/subresources\.kubevirt\.io\/v1\/namespaces\/([^/]+)\/(virtualmachines|virtualmachineinstances)\/([^/]+)\/(.+)$/;

export interface VirtApiOptions {
  host: string;
  certificate: string;
  key: string;
  /** The only client of the subresources; undefined if the API server publishes no identity: then every client may use them. */
  aggregator: AggregatorIdentity | undefined;
  subresources: SubresourceContext;
  /** WebSockets by `<resource>/<subresource>`. */
  sockets: Readonly<Record<string, GuestSocket>>;
  admission: AdmissionContext;
  logger: Logger;
}

export interface VirtApi {
  readonly port: number;
  close(): Promise<void>;
}

/** KubeVirt's virt-api: subresources for the aggregation layer, and admission webhooks, over HTTPS. */
export async function startVirtApi(options: VirtApiOptions): Promise<VirtApi> {
  const { host, certificate, key, aggregator, sockets, logger } = options;
  const tls = {
    cert: certificate,
    key,
    ...(aggregator === undefined ? {} : { ca: aggregator.ca, requestCert: true, rejectUnauthorized: false }),
    // Other requests for an upgrade are answered like requests without one.
    shouldUpgradeCallback: (request: IncomingMessage) =>
      socketOf(request, sockets) !== undefined && isAggregator(request, aggregator),
  };
  const server = createServer(tls, (request, response) => {
    handle(request, response, options).catch((error: unknown) => {
      logger.error({ err: error, url: request.url }, 'virt-api request failed');
      if (!response.headersSent) sendError(response, StatusError.internal(String(error)));
      else response.destroy();
    });
  });
  // As in the Go of KubeVirt: a call of the API server fails that is sent when its connection is being ended.
  server.keepAliveTimeout = 0;
  const upgraded = new Set<Duplex>();
  server.on('upgrade', (request, socket, head) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    const found = socketOf(request, sockets);
    if (found === undefined) socket.destroy();
    else void found.socket.upgrade(found.ref, request, socket, head);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, host, resolve);
  });
  // The address of a TCP server is never a string.
  const { port } = server.address() as AddressInfo;
  return { port, close: () => close(server, upgraded) };
}

async function handle(request: IncomingMessage, response: ServerResponse, options: VirtApiOptions): Promise<void> {
  const path = new URL(request.url ?? '/', 'https://virt-api').pathname;
  const webhook = WEBHOOKS[path];
  if (webhook !== undefined) {
    const review = JSON.parse(await readBody(request)) as AdmissionReview;
    const { uid } = review.request;
    const answer = { uid, ...(await webhook(review.request, options.admission)) };
    sendJson(response, 200, { apiVersion: review.apiVersion, kind: review.kind, response: answer });
    return;
  }
  const document = DISCOVERY[path];
  if (document !== undefined) sendJson(response, 200, document);
  else if (isAggregator(request, options.aggregator)) await handleSubresource(request, response, path, options);
  else sendText(response, 401, 'request is not authenticated');
}

async function handleSubresource(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  options: VirtApiOptions,
): Promise<void> {
  const [, namespace = '', resource = '', name = '', subresource = ''] = SUBRESOURCE_PATH.exec(path) ?? [];
  const key = `${resource}/${subresource}`;
  const route = SUBRESOURCE_ROUTES[key];
  try {
    if (route === undefined && !(key in options.sockets)) {
      throw new StatusError(501, 'NotImplemented', `the KubeVirt simulator has no ${key}`);
    }
    if (request.method !== (route?.method ?? 'GET')) {
      sendText(response, 405, '405: Method Not Allowed');
    } else if (route === undefined) {
      await refuseWithoutUpgrade(request, response, options.sockets);
    } else {
      const body = await readBody(request);
      sendAnswer(response, await route.handle({ ref: refOf(namespace, name), body }, options.subresources));
    }
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    sendError(response, error);
  }
}

/** The WebSockets that discovery lists. */
const SOCKETS = ['virtualmachineinstances/console', 'virtualmachineinstances/vnc'];

const GROUP = 'subresources.kubevirt.io';
const GROUP_VERSION = { groupVersion: `${GROUP}/v1`, version: 'v1' };
const GROUP_DOCUMENT = {
  kind: 'APIGroup',
  apiVersion: 'v1',
  name: GROUP,
  versions: [GROUP_VERSION],
  preferredVersion: GROUP_VERSION,
};

/** Documents of API discovery, and the version of KubeVirt, by path. */
const DISCOVERY: Readonly<Record<string, unknown>> = {
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [GROUP_DOCUMENT] },
  [`/apis/${GROUP}`]: GROUP_DOCUMENT,
  [`/apis/${GROUP}/v1`]: {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: `${GROUP}/v1`,
    resources: [...Object.keys(SUBRESOURCE_ROUTES), ...SOCKETS].map((name) => ({
      name,
      singularName: '',
      namespaced: true,
      kind: '',
      verbs: null,
    })),
  },
  [`/apis/${GROUP}/v1/version`]: {
    gitVersion: 'v1.8.4',
    gitCommit: 'dfaa398f086692d19e01be21d83a01036e07815f',
    gitTreeState: 'clean',
    buildDate: '',
    goVersion: '',
    compiler: 'node',
    platform: 'sandbox',
  },
  [`/apis/${GROUP}/v1/healthz`]: { apiserver: { connectivity: 'ok' } },
};

/** The WebSocket and the instance that a request asks for. */
function socketOf(
  { url = '/', method }: IncomingMessage,
  sockets: VirtApiOptions['sockets'],
): { socket: GuestSocket; ref: ObjectRef } | undefined {
  const [path = ''] = url.split('?');
  const [, namespace = '', resource = '', name = '', subresource = ''] = SUBRESOURCE_PATH.exec(path) ?? [];
  const socket = sockets[`${resource}/${subresource}`];
  return method === 'GET' && socket !== undefined ? { socket, ref: refOf(namespace, name) } : undefined;
}

function refOf(namespace: string, name: string): ObjectRef & { namespace: string } {
  return { namespace: decoded(namespace), name: decoded(name) };
}

/** A wrong encoding is kept; it names no object. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The answer where a WebSocket is expected and the request has no upgrade: two errors in one body, by gorilla's upgrader and by virt-api. */
async function refuseWithoutUpgrade(
  request: IncomingMessage,
  response: ServerResponse,
  sockets: VirtApiOptions['sockets'],
): Promise<void> {
  const found = socketOf(request, sockets);
  if (found !== undefined) await found.socket.find(found.ref);
  const { body } = StatusError.badRequest(
    "websocket: the client is not using the websocket protocol: 'upgrade' token not found in 'Connection' header",
  );
  sendText(response, 400, `Bad Request\n${JSON.stringify(body)}`);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const tooLong = (): StatusError => StatusError.badRequest(`the body is longer than ${MAX_BODY} bytes`);
  return (await readBytes(request, MAX_BODY, tooLong)).toString('utf8');
}

function sendAnswer(response: ServerResponse, { status, type, body = '' }: SubresourceAnswer): void {
  const headers = {
    'content-length': Buffer.byteLength(body),
    ...(type === undefined ? {} : { 'content-type': type }),
  };
  response.writeHead(status, headers).end(body);
}

function sendError(response: ServerResponse, { body }: StatusError): void {
  sendJson(response, body.code, body);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendText(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(body);
}

async function close(server: Server, upgraded: ReadonlySet<Duplex>): Promise<void> {
  for (const socket of upgraded) socket.destroy();
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}

/** Whether the API server, which has authorized its caller, sent the request. */
function isAggregator({ socket }: IncomingMessage, aggregator: AggregatorIdentity | undefined): boolean {
  if (aggregator === undefined) return true;
  if (!(socket instanceof TLSSocket) || !socket.authorized) return false;
  const name = socket.getPeerCertificate().subject.CN;
  return aggregator.names.length === 0 || aggregator.names.some((allowed) => allowed === name);
}
