import { type IncomingMessage, request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { VirtualMachineBMC } from '../../../../api/index.ts';
import type { KubeClient } from '@groundcrew/controller-runtime';
import {
  alwaysTo,
  evaluateHost,
  type HostDependencies,
  type HostRefusal,
  UnfinishedLookup,
} from '../../../../protocols/hosts/index.ts';
import { MachineError } from '../../../../protocols/machine/index.ts';
import { caBundle } from '../../objects/ca-bundle.ts';
import { type ImageOrder, mayKnowLogin, shownUrl } from './image-url.ts';

export interface ImageServerOptions {
  /** Hosts that the BMC's spec allows. */
  allowedHosts: readonly string[];
  hosts: HostDependencies;
  /** CA certificates, PEM; undefined: those that Node trusts. */
  ca?: readonly string[];
  insecure: boolean;
  /** Cancels the request. */
  signal: AbortSignal;
}

/** Same limit as CDI. */
const REDIRECTS = 10;
/** Total timeout in milliseconds: some clients wait ten seconds. */
const PATIENCE = 8000;
/** Maximum size of a response header in bytes. */
const MAX_HEADER = 16_384;

/**
 * Requests the size of an image: with HEAD, or if that is refused with a GET whose body is not read. Each server is
 * evaluated, and connected to at an evaluated address.
 *
 * @throws MachineError `NotSupported` if the image or its size is missing or the server is not allowed, `Unavailable`
 * if it does not answer
 */
export async function imageSizeOf(order: ImageOrder, options: ImageServerOptions): Promise<number> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(PATIENCE)]);
  const size = (await ask('HEAD', order, { ...options, signal })) ?? (await ask('GET', order, { ...options, signal }));
  if (size !== undefined) return size;
  throw new MachineError(
    'NotSupported',
    `${shownUrl(order.url.href)} does not state the size of the image (Content-Length), so no volume can be created for it`,
  );
}

/** Undefined: the server does not state the size or does not answer HEAD. */
async function ask(
  method: 'HEAD' | 'GET',
  { url: first, login }: ImageOrder,
  options: ImageServerOptions,
): Promise<number | undefined> {
  let url = first;
  for (let redirects = 0; redirects <= REDIRECTS; redirects += 1) {
    const answer = await answerOf(method, url, mayKnowLogin(url, first) ? login : undefined, options);
    const { statusCode = 0, headers } = answer;
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      const next = URL.parse(headers.location, url.href);
      if (next === null || !['http:', 'https:'].includes(next.protocol)) break;
      url = next;
      continue;
    }
    if (statusCode >= 200 && statusCode < 300) return lengthOf(headers['content-length']);
    if (method === 'HEAD') return undefined;
    throw refused(url, statusCode, login !== undefined);
  }
  throw new MachineError('NotSupported', `${shownUrl(first.href)} has too many redirects`);
}

/** The header of a response; closes the connection. */
async function answerOf(
  method: string,
  url: URL,
  login: ImageOrder['login'],
  { allowedHosts, hosts, ca, insecure, signal }: ImageServerOptions,
): Promise<IncomingMessage> {
  const options: RequestOptions = {
    method,
    agent: false,
    signal,
    maxHeaderSize: MAX_HEADER,
    headers: { 'accept-encoding': 'identity', 'user-agent': 'groundcrew' },
    ...(login === undefined ? {} : { auth: `${login.userName}:${login.password}` }),
  };
  const tls = { ...(ca === undefined ? {} : { ca: [...ca] }), rejectUnauthorized: !insecure };
  try {
    const lookup = alwaysTo(await unlessAborted(signal, () => admitHost(url, allowedHosts, hosts)));
    return await new Promise<IncomingMessage>((resolve, reject) => {
      const request =
        url.protocol === 'https:'
          ? requestHttps(url, { ...options, ...tls, lookup })
          : requestHttp(url, { ...options, lookup });
      request
        .once('error', reject)
        .once('response', (answer) => {
          // Errors after the header are irrelevant.
          request.on('error', () => undefined);
          answer.on('error', () => undefined);
          answer.destroy();
          resolve(answer);
        })
        .end();
    });
  } catch (error) {
    throw unanswered(url, error, signal);
  }
}

function lengthOf(text: string | undefined): number | undefined {
  const length = /^\d{1,15}$/.test(text ?? '') ? Number(text) : 0;
  return length > 0 ? length : undefined;
}

function refused(url: URL, status: number, isLoggedIn: boolean): MachineError {
  const what = `${shownUrl(url.href)} answers ${status}`;
  if (status === 401 || status === 403) {
    const why = isLoggedIn ? 'the user name or password is wrong' : 'it requires a user name and a password';
    return new MachineError('NotSupported', `${what}: ${why}`);
  }
  return new MachineError(status >= 500 ? 'Unavailable' : 'NotSupported', `${what}: there is no image`);
}

function unanswered(url: URL, error: unknown, signal: AbortSignal): MachineError {
  if (error instanceof MachineError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const say = (kind: 'NotSupported' | 'Unavailable', why: string): MachineError =>
    new MachineError(kind, `${url.host} ${why}`, { cause: error });
  if (signal.aborted) return say('Unavailable', `did not answer within ${PATIENCE / 1000} s`);
  if (error instanceof UnfinishedLookup) return say('Unavailable', `cannot be found: ${error.message}`);
  if (code === 'ENOTFOUND') return say('NotSupported', 'is an unknown host');
  if (/CERT|SELF_SIGNED|ALTNAME|ISSUER|VERIFY/.test(code)) {
    const advice =
      'a ConfigMap with the certificates to trust goes into spec.redfish.virtualMedia.tls.caBundleConfigMapRef of the VirtualMachineBMC';
    return say('NotSupported', `has a certificate that is not trusted (${code}): ${advice}`);
  }
  return say('Unavailable', `cannot be reached (${code === '' ? 'no answer' : code})`);
}

const CA_FIELD = 'spec.redfish.virtualMedia.tls.caBundleConfigMapRef';

/**
 * Requests the size of an image with the trust settings of the BMC.
 *
 * @returns bytes
 * @throws MachineError
 */
export async function sizeFor(
  order: ImageOrder,
  bmc: VirtualMachineBMC,
  { client, hosts, signal }: { client: KubeClient; hosts: HostDependencies; signal: AbortSignal },
): Promise<number> {
  const { allowedHosts = [], tls } = bmc.spec.redfish?.virtualMedia ?? {};
  const name = tls?.caBundleConfigMapRef?.name;
  const { namespace = '' } = bmc.metadata;
  const ca =
    name === undefined || order.url.protocol === 'http:'
      ? {}
      : { ca: await caBundle(client, { namespace, name }, CA_FIELD) };
  return await imageSizeOf(order, { allowedHosts, hosts, ...ca, insecure: tls?.insecureSkipVerify === true, signal });
}

/**
 * Checks the server of an image before each connection (see `evaluateHost`).
 *
 * @param allowedHosts `spec.redfish.virtualMedia.allowedHosts`
 * @returns addresses to connect to, at least one
 * @throws MachineError `NotSupported`, or what `resolve` throws
 */
export async function admitHost(
  url: URL,
  allowedHosts: readonly string[],
  hosts: HostDependencies,
): Promise<readonly string[]> {
  const evaluated = await evaluateHost(url, allowedHosts, hosts);
  if ('addresses' in evaluated) return evaluated.addresses;
  throw new MachineError('NotSupported', why(url.host, evaluated.refusal));
}

const HOSTS_FIELD = 'spec.redfish.virtualMedia.allowedHosts of the VirtualMachineBMC';

function why(host: string, refusal: HostRefusal): string {
  if (refusal === 'no address') return `${host} has no address`;
  const what = `images may not come from ${host}`;
  if (refusal === 'unlisted') return `${what}: ${HOSTS_FIELD} lists the allowed hosts`;
  if (refusal === 'the platform API') return `${what}, which is the Kubernetes API: name an image server`;
  return `${what}, which is ${refusal}: name another server, or add this address to ${HOSTS_FIELD}`;
}

/** The result of `work`. If the signal is aborted first, throws its reason and ignores the result. */
async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const end = (): void => {
    reject(signal.reason as Error);
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([work(), promise]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
