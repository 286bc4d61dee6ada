import type { ClientRequest, IncomingMessage } from 'node:http';
import { alwaysTo, evaluateHost, type HostRefusal, UnfinishedLookup } from '../../hosts/index.ts';
import { MachineError } from '../../machine/index.ts';
import { TooLate, within } from '../../within.ts';
import type { ListenerPolicy, RedfishOptions } from '../options.ts';

/** Timeout of a delivery, including the DNS lookup, ms. */
export const PATIENCE = 10_000;

/**
 * Sends an event after a check of its destination.
 *
 * @throws RefusedDestination, ListenerRefusal, TooLate, MachineError, Error of node:dns, node:net and node:tls
 */
export async function sendEvent(
  posting: Posting,
  { listeners, schedule }: Pick<RedfishOptions, 'listeners' | 'schedule'>,
): Promise<void> {
  await within(PATIENCE, schedule, async (signal) => {
    const url = new URL(posting.destination);
    const addresses = await admitDestination(url, listeners);
    const isVerified = url.protocol === 'https:' && posting.verifiesCertificate;
    const ca = isVerified ? await listeners.authorities?.() : undefined;
    signal.throwIfAborted();
    await postEvent(posting, { addresses, ...(ca === undefined ? {} : { ca }), signal });
  });
}

export interface Posting {
  /** `http://` or `https://` */
  readonly destination: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly verifiesCertificate: boolean;
}

interface PostOptions {
  /** Evaluated addresses of the destination's host, at least one; no other address is used. */
  readonly addresses: readonly string[];
  /** CA certificates, PEM; undefined: those of Node. */
  readonly ca?: readonly string[];
  /** Aborts the request. */
  readonly signal: AbortSignal;
}

/** The listener answered with an error status. */
export class ListenerRefusal extends Error {
  override readonly name = 'ListenerRefusal';
  /** HTTP status. */
  readonly status: number;

  constructor(status: number) {
    super(`the listener answered ${status}`);
    this.status = status;
  }
}

/**
 * Sends an event to a listener. Does not follow redirects: only the configured destination is allowed.
 *
 * @throws ListenerRefusal for an answer other than 2xx, Error if there is no answer
 */
export async function postEvent(posting: Posting, { addresses, ca, signal }: PostOptions): Promise<void> {
  const { destination, headers, body, verifiesCertificate } = posting;
  const url = new URL(destination);
  const options = {
    method: 'POST',
    headers: {
      ...headers,
      'Content-Type': 'application/json;charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
      'OData-Version': '4.0',
    },
    agent: false,
    lookup: alwaysTo(addresses),
    signal,
  };
  const request =
    url.protocol === 'https:'
      ? process.getBuiltinModule('node:https').request(url, {
          ...options,
          rejectUnauthorized: verifiesCertificate,
          ...(ca === undefined ? {} : { ca: [...ca] }),
        })
      : process.getBuiltinModule('node:http').request(url, options);
  const status = await answerTo(request, body);
  if (status < 200 || status > 299) throw new ListenerRefusal(status);
}

function answerTo(request: ClientRequest, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request.on('response', (response: IncomingMessage) => {
      // Errors after the response header are ignored.
      response.on('error', () => undefined);
      resolve(response.statusCode ?? 0);
      // The body is not read.
      response.destroy();
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Events may not be sent to this destination; the message is a sentence that says what to do. */
export class RefusedDestination extends Error {
  override readonly name = 'RefusedDestination';
  readonly code = 'RefusedDestination';
}

/**
 * Checks the destination of events before each connection (see `evaluateHost`).
 *
 * @returns addresses to connect to, at least one
 * @throws RefusedDestination, or what `resolve` throws
 */
export async function admitDestination(url: URL, policy: ListenerPolicy): Promise<readonly string[]> {
  const evaluated = await evaluateHost(url, policy.allowedHosts(), policy);
  if ('addresses' in evaluated) return evaluated.addresses;
  throw new RefusedDestination(sentence(url.host, evaluated.refusal, policy.allowedHostsSetting));
}

/** @param setting where the owner lists allowed hosts */
function sentence(host: string, refusal: HostRefusal, setting: string): string {
  if (refusal === 'no address') return `${host} has no address.`;
  const what = `Events may not be sent to ${host}`;
  if (refusal === 'unlisted') return `${what}: ${setting} lists the allowed hosts.`;
  if (refusal === 'the platform API') return `${what}, which is the platform API: name a listener.`;
  return `${what}, which is ${refusal}: name another listener, or add this address to ${setting}.`;
}

/** A readable reason for a failed delivery, without a full stop. It contains nothing that the listener sent. */
export function deliveryProblem(error: unknown, trustAdvice: string): string {
  if (error instanceof RefusedDestination) return error.message.replace(/\.$/, '');
  if (error instanceof ListenerRefusal) return `The listener answered ${error.status}`;
  if (error instanceof MachineError) return error.message;
  if (error instanceof UnfinishedLookup) return `The listener cannot be found: ${error.message}`;
  if (error instanceof TooLate) return 'The listener did not answer in time';
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no answer';
  if (['ENOTFOUND', 'EAI_AGAIN', 'ENODATA'].includes(code)) return 'The host name of the listener cannot be resolved';
  if (/CERT|SELF_SIGNED|ALTNAME|ISSUER|VERIFY/.test(code)) {
    return `The listener's certificate is not trusted (${code}): ${trustAdvice}`;
  }
  return `The listener cannot be reached (${code})`;
}
