import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { sleep, type Clock } from '@groundcrew/controller-runtime';
import type { Container } from './launch.ts';

export type Probe = NonNullable<Container['readinessProbe']>;

export type ProbeKind = 'Startup' | 'Liveness' | 'Readiness';

export interface ProbeTarget {
  podIp: string;
  /** Numbers of the container's ports by name. */
  ports: ReadonlyMap<string, number>;
}

export interface ProbesOptions {
  container: Container;
  target: ProbeTarget;
  clock: Clock;
  /** Aborted when the container ends. */
  signal: AbortSignal;
  onStarted: () => void;
  onReady: (ready: boolean) => void;
  onUnhealthy: (kind: ProbeKind, failure: string) => void;
  /** The probe has reached its failure threshold: the container must be restarted. */
  onFailed: (kind: ProbeKind) => void;
}

/** Milliseconds between readiness probes until the first success, so that a pod is used as soon as it is ready. */
const EAGER = 200;

/** Probes one run of a container: the startup probe until it succeeds, then the liveness and the readiness probe. */
export function startProbes(options: ProbesOptions): void {
  const { startupProbe, livenessProbe, readinessProbe } = options.container;
  const afterStart = (): void => {
    options.onStarted();
    if (livenessProbe !== undefined) restartOnFailure('Liveness', livenessProbe, options);
    if (readinessProbe === undefined) options.onReady(true);
    else reportReadiness(readinessProbe, options);
  };
  if (startupProbe === undefined) afterStart();
  else restartOnFailure('Startup', startupProbe, options, afterStart);
}

function reportReadiness(probe: Probe, options: ProbesOptions): void {
  const period = periodOf(probe);
  let isReady = false;
  let hasBeenReady = false;
  let failures = 0;
  void repeat(probe, options, (probe.initialDelaySeconds ?? 0) * 1000, (failure) => {
    if (failure === undefined) {
      failures = 0;
      hasBeenReady = true;
      if (!isReady) options.onReady((isReady = true));
      return period;
    }
    if (!hasBeenReady) return Math.min(EAGER, period);
    options.onUnhealthy('Readiness', failure);
    failures += 1;
    if (isReady && failures >= thresholdOf(probe)) options.onReady((isReady = false));
    return period;
  });
}

/** Probes until the failure threshold, or, with `onSuccess`, until the first success. */
function restartOnFailure(
  kind: 'Startup' | 'Liveness',
  probe: Probe,
  options: ProbesOptions,
  onSuccess?: () => void,
): void {
  const period = periodOf(probe);
  const delay = probe.initialDelaySeconds === undefined ? undefined : probe.initialDelaySeconds * 1000;
  let failures = 0;
  void repeat(probe, options, delay ?? (kind === 'Liveness' ? period : 0), (failure) => {
    if (failure === undefined) {
      failures = 0;
      onSuccess?.();
      return onSuccess === undefined ? period : undefined;
    }
    failures += 1;
    // A program that does not listen yet is still starting.
    if (kind === 'Liveness' || !failure.includes('ECONNREFUSED')) options.onUnhealthy(kind, failure);
    if (failures < thresholdOf(probe)) return period;
    options.onFailed(kind);
    return undefined;
  });
}

/** Repeats a probe; `onProbe` returns the milliseconds until the next one, or undefined to end. */
async function repeat(
  probe: Probe,
  { target, clock, signal }: ProbesOptions,
  delay: number,
  onProbe: (failure: string | undefined) => number | undefined,
): Promise<void> {
  for (let wait: number | undefined = delay; wait !== undefined;) {
    await sleep(clock, wait, signal);
    const failure = await runProbe(probe, target, signal);
    if (signal.aborted) return;
    wait = onProbe(failure);
  }
}

/** Characters of an HTTP answer that a failure quotes. */
const MAX_QUOTE = 512;

/**
 * Sends one httpGet probe; an answer of 200 to 399 is a success. Returns the failure as `kubectl describe` shows it, or
 * undefined. Never rejects.
 */
export async function runProbe(
  { httpGet, timeoutSeconds = 1 }: Probe,
  { podIp, ports }: ProbeTarget,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (httpGet === undefined) return 'the kubelet of the sandbox supports only httpGet probes';
  const port = typeof httpGet.port === 'number' ? httpGet.port : ports.get(httpGet.port);
  if (port === undefined) return `couldn't find port ${httpGet.port}`;
  const path = httpGet.path ?? '/';
  try {
    const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
    const sent = request({ host: podIp, port, path, agent: false, signal: AbortSignal.any([signal, timeout]) });
    sent.on('error', () => undefined).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage]; // The event of a ClientRequest.
    const { statusCode = 0 } = response;
    const body = (await text(response)).slice(0, MAX_QUOTE);
    return statusCode >= 200 && statusCode < 400
      ? undefined
      : `HTTP probe failed with statuscode: ${statusCode}: ${body}`;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isTimeout = error instanceof Error && error.name === 'AbortError';
    return `Get "http://${podIp}:${port}${path}": ${isTimeout ? 'context deadline exceeded' : message}`;
  }
}

function periodOf({ periodSeconds = 10 }: Probe): number {
  return periodSeconds * 1000;
}

function thresholdOf({ failureThreshold = 3 }: Probe): number {
  return failureThreshold;
}
