import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { Logger, ObjectRef } from '@groundcrew/controller-runtime';
import type { SerialConsole } from '../console/index.ts';
import { DISCOVERY, type AggregatorIdentity } from '../registration/index.ts';
import { StatusError } from '../kubevirt/status-error.ts';
import { WEBHOOKS, type AdmissionContext, type AdmissionReview } from './admission.ts';
import { mediaTypeRefusal, type MediaTypes } from './media-types.ts';
import { SUBRESOURCE_ROUTES, type SubresourceAnswer, type SubresourceContext } from './subresources.ts';

/** The most that a request's body may be; an AdmissionReview holds two copies of an object of at most 1.5 MiB. */
const MAX_BODY = 4 * 1024 * 1024;

const SUBRESOURCE_PATH = new RegExp(
  '^/apis/subresources\\.kubevirt\\.io/(?:v1|v1alpha3)/namespaces/([^/]+)/(virtualmachines|virtualmachineinstances)/([^/]+)/(.+)$',
);

export interface VirtApiOptions {
  host: string;
  certificate: string;
  key: string;
  /** Who alone may use the subresources; undefined: the API server does not say who it is, and whoever reaches the port may. */
  aggregator: AggregatorIdentity | undefined;
  subresources: SubresourceContext;
  console: SerialConsole;
  admission: AdmissionContext;
  logger: Logger;
}

export interface VirtApi {
  readonly port: number;
  close(): Promise<void>;
}

/** KubeVirt's virt-api: subresources for the aggregation layer, and admission webhooks, over HTTPS. */
export async function startVirtApi(options: VirtApiOptions): Promise<VirtApi> {
  const { host, certificate, key, aggregator, logger } = options;
  const tls = {
    cert: certificate,
    key,
    ...(aggregator === undefined ? {} : { ca: aggregator.ca, requestCert: true, rejectUnauthorized: false }),
    // What is no console is answered as if it had not asked for an upgrade, and so refused like any other request.
    shouldUpgradeCallback: (request: IncomingMessage) =>
      consoleOf(request) !== undefined &&
      isAggregator(request, aggregator) &&
      mediaTypeRefusal('GET', request.headers, {}) === undefined,
  };
  const server = createServer(tls, (request, response) => {
    handle(request, response, options).catch((error: unknown) => {
      logger.error({ err: error, url: request.url }, 'virt-api request failed');
      if (!response.headersSent) sendError(response, StatusError.internal(String(error)));
      else response.destroy();
    });
  });
  const upgraded = new Set<Duplex>();
  server.on('upgrade', (request, socket, head) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    const ref = consoleOf(request);
    if (ref === undefined) socket.destroy();
    else void options.console.upgrade(ref, request, socket, head);
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
  const document = DISCOVERY[path.length > 1 ? path.replace(/\/$/, '') : path];
  if (document !== undefined) {
    const json = ['application/json'];
    const route = { method: 'GET', produces: json, ...(path.endsWith('/healthz') ? { consumes: json } : {}) };
    if (isRouted(request, response, route)) sendJson(response, 200, document);
    return;
  }
  const unauthorized = isAggregator(request, options.aggregator)
    ? unauthorizedPath(path)
    : 'request is not authenticated';
  if (unauthorized === undefined) await handleSubresource(request, response, path, options);
  else sendText(response, 401, unauthorized);
}

/** Whether the route takes the request (go-restful `detectRoute`); the refusal is sent otherwise. */
function isRouted(
  { method = '', headers }: IncomingMessage,
  response: ServerResponse,
  route: (MediaTypes & { method: string }) | undefined,
): boolean {
  if (route === undefined) {
    sendText(response, 404, '404: Page Not Found');
    return false;
  }
  if (method !== route.method) {
    response.setHeader('allow', route.method);
    sendText(response, 405, '405: Method Not Allowed');
    return false;
  }
  const refusal = mediaTypeRefusal(method, headers, route);
  if (refusal !== undefined) sendText(response, refusal.status, refusal.text);
  return refusal === undefined;
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
  if (MISSING.test(key)) {
    sendError(response, new StatusError(501, 'NotImplemented', `the KubeVirt simulator has no ${key}`));
    return;
  }
  if (!isRouted(request, response, key === CONSOLE ? { method: 'GET' } : route)) return;
  try {
    if (key === CONSOLE) await refuseWithoutUpgrade(request, response, options.console);
    else if (route !== undefined) {
      const body = await readBody(request);
      sendAnswer(response, await route.handle({ ref: refOf(namespace, name), body }, options.subresources));
    }
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    sendError(response, error);
  }
}

const CONSOLE = 'virtualmachineinstances/console';

/** Subresources that KubeVirt has and the simulator does not. */
const MISSING =
  /^virtualmachine(instance)?s\/portforward\/|^virtualmachineinstances\/(usbredir|vnc|vnc\/screenshot|vsock|freeze|unfreeze|userlist|filesystemlist)$/;

/** The instance whose console is asked for. */
function consoleOf({ url = '/', method }: IncomingMessage): ObjectRef | undefined {
  const [path = ''] = url.split('?');
  const [, namespace = '', resource = '', name = '', subresource = ''] = SUBRESOURCE_PATH.exec(path) ?? [];
  return method === 'GET' && `${resource}/${subresource}` === CONSOLE ? refOf(namespace, name) : undefined;
}

function refOf(namespace: string, name: string): ObjectRef & { namespace: string } {
  return { namespace: decoded(namespace), name: decoded(name) };
}

/** What is encoded amiss names nothing there is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A console that is asked for without a WebSocket: two errors in one body, as gorilla's upgrader and virt-api write them. */
async function refuseWithoutUpgrade(
  request: IncomingMessage,
  response: ServerResponse,
  serial: SerialConsole,
): Promise<void> {
  const ref = consoleOf(request);
  if (ref !== undefined) await serial.find(ref);
  const { body } = StatusError.badRequest(
    "websocket: the client is not using the websocket protocol: 'upgrade' token not found in 'Connection' header",
  );
  sendText(response, 400, `Bad Request\n${JSON.stringify(body)}`);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    // An IncomingMessage without an encoding yields Buffers.
    const buffer = chunk as Buffer;
    size += buffer.length;
    if (size > MAX_BODY) throw StatusError.badRequest(`the body is longer than ${MAX_BODY} bytes`);
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
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

/** Whether the API server sent the request; it has let its caller through. Undefined: the API server does not say who it is. */
function isAggregator({ socket }: IncomingMessage, aggregator: AggregatorIdentity | undefined): boolean {
  if (aggregator === undefined) return true;
  if (!(socket instanceof TLSSocket) || !socket.authorized) return false;
  const name = socket.getPeerCertificate().subject.CN;
  return aggregator.names.length === 0 || aggregator.names.some((allowed) => allowed === name);
}

/** Why a path cannot be authorized (`authorizer.go` `generateAccessReview`), or undefined. */
function unauthorizedPath(path: string): string | undefined {
  const parts = path.split('/');
  const resource = parts[6] ?? '';
  if (parts.length >= 9) return SUBRESOURCED.includes(resource) ? undefined : `unknown resource type ${resource}`;
  if (parts.length === 7) return resource === 'expand-vm-spec' ? undefined : `unknown resource type ${resource}`;
  return `unknown api endpoint: ${path}`;
}

const SUBRESOURCED: readonly string[] = ['virtualmachines', 'virtualmachineinstances'];
