import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { MachineError } from '../../machine/index.ts';
import { SerialQueues } from '../../serial-queue.ts';
import { base, machineRefusal, RedfishError } from '../messages.ts';
import { parseQuery } from '../query/parse-query.ts';
import type { Route } from '../resource.ts';
import { checkAccess, checkPassword, type Method } from './access-check.ts';
import { type Answer, errorAnswer, gone, notAllowed, send } from './answer.ts';
import { OPEN_DOCUMENTS } from './documents.ts';
import { callerKey, type Exchange, type Service } from './exchange.ts';
import { OPEN_API, openApiAnswer } from './open-api.ts';
import { allowedMethods, findPlace, type Place, schemaName, unknownAction } from './place.ts';
import { get, ownAnswer } from './read.ts';
import { ResourceTree } from './resource-tree.ts';
import { addressOf, checkSite } from './origin-of.ts';
import { Turns } from './turns.ts';
import { create, patch, remove, runAction } from './change.ts';

/** Answers all requests for these resources. */
export function resourceApp(routes: () => readonly Route[], parts: GivenParts): RequestListener {
  const service = new LazyService(routes, parts);
  return (request, response) => void dispatch(service, request, response);
}

type GivenParts = Pick<Service, 'gate' | 'observer' | 'publish'>;

/**
 * Its other parts are made on first use: many BMCs of a process have no Redfish clients. The tree, of 40 kB, has no state and is
 * made again when the garbage collector has taken it.
 */
class LazyService implements Service {
  readonly gate: Service['gate'];
  readonly observer: Service['observer'];
  readonly publish: Service['publish'];
  readonly #routes: () => readonly Route[];
  #tree: WeakRef<ResourceTree> | undefined;
  #writes: SerialQueues | undefined;
  #turns: Turns | undefined;

  constructor(routes: () => readonly Route[], { gate, observer, publish }: GivenParts) {
    this.#routes = routes;
    this.gate = gate;
    this.observer = observer;
    this.publish = publish;
  }

  get tree(): ResourceTree {
    const known = this.#tree?.deref();
    if (known !== undefined) return known;
    const tree = new ResourceTree(this.#routes);
    this.#tree = new WeakRef(tree);
    return tree;
  }

  get writes(): SerialQueues {
    return (this.#writes ??= new SerialQueues());
  }

  get turns(): Turns {
    return (this.#turns ??= new Turns());
  }
}

/** Known methods; PUT is known, but no resource has it. Others answer 501. */
const METHODS: Readonly<Record<string, Method>> = {
  GET: 'GET',
  HEAD: 'GET',
  PATCH: 'PATCH',
  PUT: 'PATCH',
  POST: 'POST',
  DELETE: 'DELETE',
};

/** Answers every request. Never rejects: internal errors go to the observer, and the client gets no details. */
async function dispatch(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const isHead = request.method === 'HEAD';
  const target: Target = { request: 'other' };
  try {
    const answer = await answerOf(service, request, response, target);
    if (answer !== undefined) send(response, answer, isHead);
    service.observer.answered(target.request, answer?.status ?? response.statusCode);
  } catch (error) {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const refusal = refusalOf(error, service, request);
    send(response, errorAnswer(refusal), isHead);
    service.observer.answered(target.request, refusal.status);
  }
}

/** What a request is about, for the observer; known once its place is found. */
interface Target {
  request: string;
}

function targetOf({ resource, action }: Place, { method = '' }: IncomingMessage): string {
  return action?.name ?? `${method} ${schemaName(resource)}`;
}

function refusalOf(error: unknown, { observer }: Service, request: IncomingMessage): RedfishError {
  if (error instanceof RedfishError) return withPrompt(error, request);
  // The resource could not be determined.
  if (error instanceof MachineError) return machineRefusal(error, base('GeneralError'));
  observer.failed(error, request.method ?? '', pathOf(request.url ?? '').uri);
  return new RedfishError(500, [base('InternalError')]);
}

/** Adds WWW-Authenticate to a 401. Scripts in browsers send X-Requested-With: no log-in dialogue must appear over their page. */
function withPrompt(error: RedfishError, request: IncomingMessage): RedfishError {
  if (error.status !== 401 || request.headers['x-requested-with'] !== undefined) return error;
  return new RedfishError(401, error.messages, { 'WWW-Authenticate': CHALLENGE, ...error.headers });
}

const CHALLENGE = 'Basic realm="Redfish", charset="UTF-8"';

/** Undefined: a stream, which answers by itself. */
async function answerOf(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
  target: Target,
): Promise<Answer | undefined> {
  checkHeaders(request);
  const method = METHODS[request.method ?? ''];
  if (method === undefined) throw new RedfishError(501, [base('OperationNotAllowed')]);
  const { uri, search } = pathOf(request.url ?? '');
  const isRead = method === 'GET';
  if (!isRead) checkSite(request.headers);
  const document = OPEN_DOCUMENTS.get(uri);
  if (document !== undefined) {
    target.request = 'document';
    if (!isRead) throw notAllowed(['GET', 'HEAD']);
    return document(service, request.headers['if-none-match']);
  }
  const place = findPlace(service.tree, uri);
  if (place !== undefined) target.request = targetOf(place, request);
  const isOpen = place !== undefined && isOpenTo(place, method);
  const isAnonymous = isOpen && !(isRead && isQueryWithCredentials(request, search));
  const address = addressOf(request);
  const caller = isAnonymous ? service.gate.anonymous(address) : service.gate.authenticate(request.headers, address);
  if (uri === OPEN_API) {
    if (!isRead) throw notAllowed(['GET', 'HEAD']);
    checkPassword(caller);
    return service.turns.run(callerKey(caller), response, () => openApiAnswer(service.tree));
  }
  if (place === undefined) throw notThere(service, uri);
  const allowed = allowedMethods(place);
  if (!allowed.includes(request.method ?? '')) throw notAllowed(allowed);
  if (!isOpen) checkAccess(caller, place, method);
  if (!isRead) checkNoQuery(search);
  return act({ service, request, response, place, caller, search }, method);
}

function act(exchange: Exchange, method: Method): Promise<Answer> | Answer | undefined {
  const { place, request, response, caller } = exchange;
  const { resource, action } = place;
  if (action !== undefined) return runAction(exchange, action);
  switch (method) {
    case 'GET':
      if (resource.answer !== undefined) return ownAnswer(place, resource.answer());
      if (resource.stream === undefined) return get(exchange);
      response.setHeader('Allow', allowedMethods(place).join(', '));
      resource.stream(request, response, caller);
      return undefined;
    case 'PATCH':
      return patch(exchange);
    case 'POST':
      return resource.create && create(exchange, resource.create);
    case 'DELETE':
      return remove(exchange);
  }
}

/** DSP0266 §13.2.7: discovery and log-in need no authentication. */
function isOpenTo({ route, resource, action }: Place, method: Method): boolean {
  if (action !== undefined) return false;
  if (method === 'GET') return route.isOpen === true;
  return method === 'POST' && resource.create?.isOpen === true;
}

/** A query may reach resources that need authentication. */
function isQueryWithCredentials({ headers }: IncomingMessage, search: string): boolean {
  return search !== '' && (headers.authorization ?? headers['x-auth-token']) !== undefined;
}

/** DSP0266 §7.3: query parameters are for reads only. */
function checkNoQuery(search: string): void {
  if (search !== '' && parseQuery(search) !== undefined) {
    throw new RedfishError(400, [base('QueryNotSupportedOnOperation')]);
  }
}

function notThere({ tree }: Service, uri: string): RedfishError {
  const action = unknownAction(tree, uri);
  return action === undefined ? gone(uri) : new RedfishError(404, [base('ActionNotSupported', [action])]);
}

/** DSP0266 §6.5.2: only one OData version is supported. RFC 9112 §3.2: a proxy may use the other of two Host headers. */
function checkHeaders({ headers, headersDistinct }: IncomingMessage): void {
  if ((headersDistinct['host']?.length ?? 0) > 1) throw new RedfishError(400, [base('HeaderInvalid', ['Host'])]);
  const version = headers['odata-version'];
  if (version !== undefined && version !== '4.0') {
    throw new RedfishError(412, [base('HeaderInvalid', ['OData-Version'])]);
  }
}

/**
 * Removes a trailing slash, a fragment (DSP0266 §6.4) and escapes of unreserved characters (RFC 3986 §6.2.2.2). Accepts the absolute
 * form with scheme and host (RFC 9112 §3.2.2).
 */
function pathOf(url: string): { uri: string; search: string } {
  const [, written = '', search = ''] = /^(?:https?:\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?/i.exec(url) ?? [];
  const path = written.replace(UNRESERVED, decodeURIComponent);
  return { uri: path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path, search };
}

/** Escapes of letters, digits, `-`, `.`, `_` and `~`. */
const UNRESERVED = /%(?:2[DE]|3\d|4[1-9A-F]|5[\dAF]|6[1-9A-F]|7[\dAE])/gi;
