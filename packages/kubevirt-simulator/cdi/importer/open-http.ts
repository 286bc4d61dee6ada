import { lookup, type LookupAddress } from 'node:dns';
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { rootCertificates } from 'node:tls';
import type { Clock } from '@groundcrew/controller-runtime';
import { goErrorText } from './go-error.ts';
import { ImportError } from './import-error.ts';
import type { AddressCheck } from './internal-addresses.ts';

/** What to fetch, and as whom. */
export interface HttpOrder {
  url: string;
  headers: readonly (readonly [string, string])[];
  credentials?: { user: string; password: string };
  /** PEM; trusted beside the well-known ones. */
  authorities: readonly string[];
  /** Take any certificate. */
  insecure: boolean;
}

export interface HttpSourceOptions {
  /** Milliseconds for a connection to come about, TLS included; Go's dialer has 30 s. */
  connectTimeout: number;
  mayConnect: AddressCheck;
  clock: Clock;
  signal: AbortSignal;
}

/** A server's answer whose body is still to be read. */
export interface HttpSource {
  /** Bytes of the body, where the server says so. */
  total: number | undefined;
  body: IncomingMessage;
}

/** CDI sets its own rule for redirects and with it loses Go's limit; one without end is not waited for here. */
const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Asks for the size (HEAD) and then for the data (GET), as CDI's importer does (`http-datasource.go`,
 * `createHTTPReader`): a HEAD that fails is passed over, so that the GET tells what is wrong.
 *
 * @throws ImportError, code CannotConnect
 */
export async function openHttp(order: HttpOrder, options: HttpSourceOptions): Promise<HttpSource> {
  const size = await contentLength(order, options).catch((error: unknown) => {
    if (options.signal.aborted) throw error;
    return undefined;
  });
  const response = await follow('GET', order, options);
  if (response.statusCode !== 200) {
    response.destroy();
    throw ImportError.connect(statusText(response));
  }
  return { total: size ?? lengthOf(response), body: response };
}

async function contentLength(order: HttpOrder, options: HttpSourceOptions): Promise<number | undefined> {
  const response = await follow('HEAD', order, options);
  response.resume();
  return response.statusCode === 200 ? lengthOf(response) : undefined;
}

async function follow(method: 'HEAD' | 'GET', order: HttpOrder, options: HttpSourceOptions): Promise<IncomingMessage> {
  const first = URL.parse(order.url);
  if (first === null) throw ImportError.connect(`unable to parse endpoint "${order.url}"`);
  let url = first;
  for (let redirects = 0; ; redirects += 1) {
    const response = await send(method, url, order, options).catch((error: unknown) => {
      if (error instanceof ImportError) throw error;
      throw requestError(method, url, goErrorText(error, url), error);
    });
    const { location } = response.headers;
    if (!REDIRECTS.has(response.statusCode ?? 0) || location === undefined) return response;
    response.destroy();
    const next = URL.parse(location, url.href);
    if (next === null) {
      throw requestError(method, url, `failed to parse Location header "${location}"`);
    }
    if (next.protocol !== 'http:' && next.protocol !== 'https:') {
      throw requestError(method, next, `unsupported protocol scheme "${next.protocol.slice(0, -1)}"`);
    }
    if (redirects === MAX_REDIRECTS) throw requestError(method, next, `stopped after ${MAX_REDIRECTS} redirects`);
    url = next;
  }
}

async function send(
  method: 'HEAD' | 'GET',
  url: URL,
  { headers, credentials, authorities, insecure }: HttpOrder,
  { connectTimeout, mayConnect, clock, signal }: HttpSourceOptions,
): Promise<IncomingMessage> {
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) refuseInternal(literal, url, mayConnect);
  const options: RequestOptions & { ca?: string[]; rejectUnauthorized?: boolean } = {
    method,
    headers: { 'user-agent': 'Go-http-client/1.1', ...joined(headers) },
    // One connection for each request: nothing is left open when an import ends.
    agent: false,
    signal,
    lookup: checkedLookup(url, mayConnect),
    // CDI sends them to whatever server a redirect leads to.
    ...(credentials === undefined ? {} : { auth: `${credentials.user}:${credentials.password}` }),
    ...(authorities.length === 0 ? {} : { ca: [...rootCertificates, ...authorities] }),
    ...(insecure ? { rejectUnauthorized: false } : {}),
  };
  return await new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, resolve);
    const impatience = clock.setTimeout(() => {
      request.destroy(Object.assign(new Error('i/o timeout'), { code: 'ETIMEDOUT' }));
    }, connectTimeout);
    const connected = (): void => {
      impatience.cancel();
    };
    request.on('socket', (socket) => {
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', connected);
    });
    request
      .once('error', reject)
      .once('close', () => {
        connected();
        // Nothing else tells of a server that answers 101 unasked, whose connection Node ends.
        reject(Object.assign(new Error('it ended without an answer'), { code: 'ECONNRESET' }));
      })
      .end();
  });
}

/** Looks a name up, and refuses it when one of its addresses may not be connected to. */
function checkedLookup(url: URL, mayConnect: AddressCheck): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      try {
        for (const { address } of addresses) refuseInternal(address, url, mayConnect);
      } catch (refusal) {
        callback(refusal as ImportError, []); // the only thing that is thrown there
        return;
      }
      const [first] = addresses;
      if (options.all === true) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family ?? 4);
    });
  };
}

function refuseInternal(address: string, url: URL, mayConnect: AddressCheck): void {
  if (mayConnect(address, url)) return;
  throw ImportError.connect(
    `${shown(url)} is at ${address}, an internal address; ` +
      'list the URL in spec.allowedSourceURLs of the CDIConfig to import from it',
  );
}

function requestError(method: 'HEAD' | 'GET', url: URL, why: string, cause?: unknown): ImportError {
  const verb = method === 'GET' ? 'Get' : 'Head';
  return ImportError.connect(`HTTP request errored: ${verb} "${shown(url)}": ${why}`, cause);
}

/** Without its password, as Go prints it. */
function shown(url: URL): string {
  const copy = new URL(url);
  if (copy.password !== '') copy.password = '***';
  return copy.href;
}

function statusText({ statusCode = 0, statusMessage = '' }: IncomingMessage): string {
  return `expected status code 200, got ${statusCode}. Status: ${statusCode} ${statusMessage}`;
}

function lengthOf({ headers }: IncomingMessage): number | undefined {
  const length = Number(headers['content-length'] ?? '0');
  return Number.isSafeInteger(length) && length > 0 ? length : undefined;
}

function joined(headers: HttpOrder['headers']): Record<string, string[]> {
  const byName: Record<string, string[]> = {};
  for (const [name, value] of headers) (byName[name] ??= []).push(value);
  return byName;
}
