import type { Clock } from '@groundcrew/controller-runtime';
import type { Container } from './environment.ts';
import { isRefused, runProber, type Probe, type ProbeTarget } from './probe.ts';

export type ProbeKind = 'Startup' | 'Liveness' | 'Readiness';

export interface ContainerProbesOptions {
  container: Container;
  target: ProbeTarget;
  clock: Clock;
  /** Ends all probing: the run is over. */
  signal: AbortSignal;
  onStarted: () => void;
  onReady: (ready: boolean) => void;
  onUnhealthy: (kind: ProbeKind, failure: string) => void;
  /** As many probes in a row as the threshold says have failed: the container is to be restarted. */
  onGivenUp: (kind: ProbeKind) => void;
}

/** A readiness probe is made this often until it first succeeds, milliseconds: what is ready is used at once. */
const EAGER = 200;

/** What has been started this many milliseconds ago at most need not listen yet: that it does not is no news. */
const STARTING = 1_000;

/** Watches over one run of a container: nothing but the startup probe until that succeeds, then liveness and readiness. */
export function watchContainer(options: ContainerProbesOptions): void {
  const { startupProbe, livenessProbe, readinessProbe } = options.container;
  const begin = (): void => {
    options.onStarted();
    if (livenessProbe !== undefined) giveUpOn('Liveness', livenessProbe, options);
    if (readinessProbe === undefined) options.onReady(true);
    else reportReadiness(readinessProbe, options);
  };
  if (startupProbe === undefined) begin();
  else giveUpOn('Startup', startupProbe, options, begin);
}

function reportReadiness(probe: Probe, options: ContainerProbesOptions): void {
  const { target, clock, signal, onReady, onUnhealthy } = options;
  const onProbe = (failure: string | undefined): void => {
    if (failure !== undefined) onUnhealthy('Readiness', failure);
  };
  const delay = (probe.initialDelaySeconds ?? 0) * 1000;
  void runProber({ probe, target, initially: false, delay, eager: EAGER, clock, onResult: onReady, onProbe }, signal);
}

/** Probes until the container is given up, or, where that is asked for, until it first succeeds. */
function giveUpOn(kind: ProbeKind, probe: Probe, options: ContainerProbesOptions, onFirstSuccess?: () => void): void {
  const { target, clock, onUnhealthy, onGivenUp } = options;
  const begun = clock.now();
  const end = new AbortController();
  const signal = AbortSignal.any([options.signal, end.signal]);
  let failures = 0;
  const onProbe = (failure: string | undefined): void => {
    if (failure === undefined) {
      failures = 0;
      if (onFirstSuccess === undefined) return;
      end.abort();
      onFirstSuccess();
      return;
    }
    const starting = kind === 'Startup' && clock.now() - begun < STARTING && isRefused(failure);
    if (!starting) onUnhealthy(kind, failure);
    failures += 1;
    if (failures < (probe.failureThreshold ?? 3)) return;
    end.abort();
    onGivenUp(kind);
  };
  // What has just been started is not asked whether it still lives.
  const delay = (probe.initialDelaySeconds ?? (kind === 'Liveness' ? (probe.periodSeconds ?? 10) : 0)) * 1000;
  void runProber({ probe, target, initially: kind === 'Liveness', delay, clock, onProbe }, signal);
}
