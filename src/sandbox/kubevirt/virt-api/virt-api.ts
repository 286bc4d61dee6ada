import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { Logger, ObjectRef } from '../../../kube/index.ts';
import type { SerialConsole } from '../console/index.ts';
import { DISCOVERY, type AggregatorIdentity } from '../registration/index.ts';
import { StatusError } from '../status-error.ts';
import { WEBHOOKS, type AdmissionContext, type AdmissionReview } from './admission.ts';
import { SUBRESOURCE_HANDLERS, type SubresourceContext } from './subresources/index.ts';

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
      consoleOf(request) !== undefined && isAggregator(request, aggregator),
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
    sendJson(response, 200, document);
    return;
  }
  if (!isAggregator(request, options.aggregator)) {
    sendText(response, 401, '');
    return;
  }
  await handleSubresource(request, response, path, options);
}

/** Webhooks and discovery are for anybody; what acts on VMs is for callers that the API server has let through. */
function isAggregator({ socket }: IncomingMessage, aggregator: AggregatorIdentity | undefined): boolean {
  if (aggregator === undefined) return true;
  if (!(socket instanceof TLSSocket) || !socket.authorized) return false;
  const name = socket.getPeerCertificate().subject.CN;
  return aggregator.names.length === 0 || aggregator.names.some((allowed) => allowed === name);
}

async function handleSubresource(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  options: VirtApiOptions,
): Promise<void> {
  const [, namespace = '', resource = '', name = '', subresource = ''] = SUBRESOURCE_PATH.exec(path) ?? [];
  const route = `${resource}/${subresource}`;
  if (route === CONSOLE && request.method === 'GET') {
    await refuseWithoutUpgrade(request, response, options.console);
    return;
  }
  const handler = SUBRESOURCE_HANDLERS[`${request.method ?? ''} ${route}`];
  if (handler === undefined) {
    const missing = `${resource}/${subresource.split('/')[0] ?? ''}`;
    if (MISSING.has(missing)) {
      sendError(
        response,
        new StatusError(501, 'NotImplemented', `${missing} is not implemented by the sandbox's KubeVirt`),
      );
      return;
    }
    const known = route === CONSOLE || Object.keys(SUBRESOURCE_HANDLERS).some((key) => key.endsWith(` ${route}`));
    sendText(response, known ? 405 : 404, known ? '405: Method Not Allowed' : '404: Page Not Found');
    return;
  }
  try {
    const ref = refOf(namespace, name);
    const { status, type, body = '' } = await handler({ ref, body: await readBody(request) }, options.subresources);
    const headers = {
      'content-length': Buffer.byteLength(body),
      ...(type === undefined ? {} : { 'content-type': type }),
    };
    response.writeHead(status, headers).end(body);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    sendError(response, error);
  }
}

const CONSOLE = 'virtualmachineinstances/console';

/** Streams that KubeVirt has and this stand-in does not. */
const MISSING: ReadonlySet<string> = new Set([
  'virtualmachines/portforward',
  'virtualmachineinstances/portforward',
  'virtualmachineinstances/usbredir',
  'virtualmachineinstances/vnc',
  'virtualmachineinstances/vsock',
]);

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
  try {
    const ref = consoleOf(request);
    if (ref !== undefined) await serial.find(ref);
    const { body } = StatusError.badRequest(
      "websocket: the client is not using the websocket protocol: 'upgrade' token not found in 'Connection' header",
    );
    sendText(response, 400, `Bad Request\n${JSON.stringify(body)}`);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    sendError(response, error);
  }
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
