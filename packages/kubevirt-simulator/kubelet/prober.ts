import { sleep, type Clock } from '@groundcrew/controller-runtime';
import { runProbe, type Probe, type ProbeTarget } from './probe.ts';

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
