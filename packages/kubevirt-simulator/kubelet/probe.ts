import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { sleep, type Clock } from '@groundcrew/controller-runtime';
import type { Container } from './environment.ts';

export type Probe = NonNullable<Container['readinessProbe']>;

/** Undefined where the probe succeeded, else what failed, as `kubectl describe` shows it. */
export type ProbeFailure = string | undefined;

/** What a probe is made against. */
export interface ProbeTarget {
  podIp: string;
  /** Numbers of the container's ports by name. */
  ports: ReadonlyMap<string, number>;
}

/** Makes one probe: `httpGet` (200 to 399 is success) or `tcpSocket`. Never rejects. */
export async function runProbe(probe: Probe, target: ProbeTarget): Promise<ProbeFailure> {
  const timeout = (probe.timeoutSeconds ?? 1) * 1000;
  try {
    if (probe.httpGet !== undefined) return await httpGet(probe.httpGet, target, timeout);
    if (probe.tcpSocket !== undefined) return await tcpSocket(probe.tcpSocket, target, timeout);
  } catch (error) {
    // A path or a header that cannot be sent.
    return error instanceof Error ? error.message : String(error);
  }
  return "the sandbox's kubelet probes by httpGet and tcpSocket only";
}

/** Whether nobody listened where the probe was made. */
export function isRefused(failure: string): boolean {
  return /^(Get "[^"]*"|dial tcp): connect ECONNREFUSED /.test(failure);
}

/** The most of an answer that a failure quotes. */
const MAX_QUOTE = 512;

async function httpGet(
  action: NonNullable<Probe['httpGet']>,
  target: ProbeTarget,
  timeout: number,
): Promise<ProbeFailure> {
  const port = portOf(action.port, target);
  if (port === undefined) return `couldn't find port ${String(action.port)}`;
  const host = action.host ?? target.podIp;
  const secure = action.scheme === 'HTTPS';
  const path = action.path ?? '/';
  const options: RequestOptions & { rejectUnauthorized?: boolean } = {
    host,
    port,
    path,
    agent: false,
    timeout,
    signal: AbortSignal.timeout(timeout),
    headers: {
      'user-agent': 'kube-probe/1.34',
      accept: '*/*',
      ...Object.fromEntries((action.httpHeaders ?? []).map(({ name, value }) => [name, value])),
    },
    // As kubelet: a probe asks whether it answers, not who it is.
    ...(secure ? { rejectUnauthorized: false } : {}),
  };
  const url = `${secure ? 'https' : 'http'}://${host}:${port}${path}`;
  return await new Promise((resolve) => {
    const sent = (secure ? httpsRequest : httpRequest)(options, (response) => {
      const status = response.statusCode ?? 0;
      let quote = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        quote = (quote + chunk).slice(0, MAX_QUOTE);
      });
      response
        .on('error', () => undefined)
        .on('close', () => {
          const succeeded = status >= 200 && status < 400;
          resolve(
            succeeded ? undefined : `HTTP probe failed with statuscode: ${status}${quote === '' ? '' : `: ${quote}`}`,
          );
        });
    });
    sent.on('error', (error) => {
      resolve(
        `Get "${url}": ${error.name === 'AbortError' || error.name === 'TimeoutError' ? 'context deadline exceeded' : error.message}`,
      );
    });
    sent.end();
  });
}

async function tcpSocket(
  action: NonNullable<Probe['tcpSocket']>,
  target: ProbeTarget,
  timeout: number,
): Promise<ProbeFailure> {
  const port = portOf(action.port, target);
  if (port === undefined) return `couldn't find port ${String(action.port)}`;
  const socket = connect({ host: action.host ?? target.podIp, port, timeout });
  const failure = await new Promise<ProbeFailure>((resolve) => {
    socket
      .once('connect', () => {
        resolve(undefined);
      })
      .once('error', (error) => {
        resolve(`dial tcp: ${error.message}`);
      })
      .once('timeout', () => {
        resolve('dial tcp: i/o timeout');
      });
  });
  socket.destroy();
  return failure;
}

function portOf(port: unknown, { ports }: ProbeTarget): number | undefined {
  if (typeof port === 'number') return port;
  return typeof port === 'string' ? (ports.get(port) ?? (/^\d+$/.test(port) ? Number(port) : undefined)) : undefined;
}

export interface ProberOptions {
  probe: Probe;
  target: ProbeTarget;
  /** The result before the first probe: a readiness probe begins with failure, a liveness probe with success. */
  initially: boolean;
  /** Milliseconds before the first probe. */
  delay: number;
  /** Until it first succeeds the probe is made this often, milliseconds, if that is more often than its period. */
  eager?: number;
  clock: Clock;
  /** The result has changed. */
  onResult?: (success: boolean) => void;
  /** One probe has been made, whether or not it changes the result. */
  onProbe?: (failure: string | undefined) => void;
}

/** Makes a probe over and over, until `signal` is aborted, and tells when its result changes as its thresholds say. */
export async function runProber(options: ProberOptions, signal: AbortSignal): Promise<void> {
  const { probe, target, clock, eager, onProbe, onResult } = options;
  const period = (probe.periodSeconds ?? 10) * 1000;
  const tally = new Tally(probe, options.initially);
  let coming = eager !== undefined;
  await sleep(clock, options.delay, signal);
  while (!signal.aborted) {
    const failure = await runProbe(probe, target);
    if (isAborted(signal)) return;
    coming &&= failure !== undefined;
    // What comes up is not yet broken: only a probe that is due counts.
    if (!coming) onProbe?.(failure);
    if (tally.changesWith(failure === undefined)) onResult?.(failure === undefined);
    await sleep(clock, coming ? Math.min(eager ?? period, period) : period, signal);
  }
}

/** Counts probes in a row against the thresholds. */
class Tally {
  readonly #probe: Probe;
  #result: boolean;
  #run = 0;

  constructor(probe: Probe, initially: boolean) {
    this.#probe = probe;
    this.#result = initially;
  }

  /** Whether this probe is the one that changes the result. */
  changesWith(success: boolean): boolean {
    this.#run = success === this.#result ? 0 : this.#run + 1;
    const threshold = success ? (this.#probe.successThreshold ?? 1) : (this.#probe.failureThreshold ?? 3);
    if (this.#run < threshold) return false;
    this.#run = 0;
    this.#result = success;
    return true;
  }
}

/** A function, since the compiler takes a signal for what it was when last looked at. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
