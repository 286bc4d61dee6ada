import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { rootCertificates } from 'node:tls';
import type { Clock } from '@groundcrew/controller-runtime';

/** An image and how to download it. */
export interface DownloadOrder {
  url: string;
  credentials?: { user: string; password: string };
  /** PEM certificates of further CAs. */
  authorities: readonly string[];
  /** Do not verify the server's certificate. */
  insecure: boolean;
  /** Bytes that the volume holds. */
  available: number;
}

export interface DownloadOptions {
  /** Milliseconds without progress until the download fails. */
  timeout: number;
  clock: Clock;
  signal: AbortSignal;
  /** Called with the received bytes and, if the server sends it, the total. */
  onProgress: (bytes: number, total: number | undefined) => void;
}

/** A failed download; the message is one sentence. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
}

const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Downloads an image and discards its data: nothing reads a simulated volume.
 *
 * @throws DownloadError for a failure of the server and for an image that is too large
 */
export async function download(order: DownloadOrder, options: DownloadOptions): Promise<void> {
  const { clock, timeout, onProgress } = options;
  const response = await follow(order, options);
  const { statusCode = 0, headers } = response;
  let timer = clock.setTimeout(() => undefined, 0);
  try {
    if (statusCode !== 200) throw new DownloadError(`The image server answered ${statusCode}`);
    const length = Number(headers['content-length'] ?? '0');
    const total = length > 0 ? length : undefined;
    assertFits(total ?? 0, order.available);
    let bytes = 0;
    for await (const chunk of response) {
      timer.cancel();
      timer = clock.setTimeout(() => response.destroy(new Error(`no data for ${timeout} ms`)), timeout);
      bytes += (chunk as Buffer).length; // A response without an encoding yields Buffers.
      assertFits(bytes, order.available);
      onProgress(bytes, total);
    }
  } catch (error) {
    throw error instanceof DownloadError ? error : new DownloadError(`The download was interrupted: ${textOf(error)}`);
  } finally {
    timer.cancel();
    response.destroy();
  }
}

function assertFits(bytes: number, available: number): void {
  if (bytes <= available) return;
  throw new DownloadError(`The image has ${bytes} bytes and the volume ${available}: a larger PVC is required`);
}

async function follow(order: DownloadOrder, options: DownloadOptions): Promise<IncomingMessage> {
  let url = order.url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const parsed = URL.parse(url);
    if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
      throw new DownloadError(`The URL is unsupported: ${url}`);
    }
    const response = await send(parsed, order, options).catch((error: unknown) => {
      throw new DownloadError(connectFailure(error));
    });
    const { location } = response.headers;
    if (!REDIRECTS.has(response.statusCode ?? 0) || location === undefined) return response;
    response.destroy();
    url = URL.parse(location, parsed.href)?.href ?? location;
  }
  throw new DownloadError(`The image server redirects more than ${MAX_REDIRECTS} times`);
}

async function send(
  url: URL,
  { credentials, authorities, insecure }: DownloadOrder,
  { timeout, clock, signal }: DownloadOptions,
): Promise<IncomingMessage> {
  const options: RequestOptions & { ca?: string[]; rejectUnauthorized?: boolean } = {
    // No connection is kept open.
    agent: false,
    signal,
    ...(credentials === undefined ? {} : { auth: `${credentials.user}:${credentials.password}` }),
    ...(authorities.length === 0 ? {} : { ca: [...rootCertificates, ...authorities] }),
    ...(insecure ? { rejectUnauthorized: false } : {}),
  };
  return await new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options);
    const timer = clock.setTimeout(() => request.destroy(new Error(`no answer for ${timeout} ms`)), timeout);
    request
      .once('response', (response) => {
        timer.cancel();
        resolve(response);
      })
      .once('error', reject)
      .once('close', () => {
        timer.cancel();
        reject(new Error('no answer'));
      })
      .end();
  });
}

const CERTIFICATE_ERROR = /CERT|ISSUER|UNABLE_TO_VERIFY/;

function connectFailure(error: unknown): string {
  const code = codeOf(error);
  if (CERTIFICATE_ERROR.test(code)) return `The image server's x509 certificate is not trusted: ${textOf(error)}`;
  if (code === 'ENOTFOUND') return `The image server has no address: no such host`;
  return `The image server cannot be reached: ${textOf(error)}`;
}

function codeOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error && 'code' in first ? String(first.code) : '';
}

function textOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(first);
}
