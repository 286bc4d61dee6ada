/** How one run of a container went. */
export interface Run {
  /** Milliseconds from its start to its end. */
  ran: number;
  /** Milliseconds of that for which it was ready. */
  ready: number;
  /** A signal ended it, the kubelet's own or one from outside, as far as can be told; not one that it brought on itself, as SIGSEGV. */
  killed: boolean;
}

/** The first wait, the longest, and the run after which a container counts as well again; milliseconds. */
const BASE = 10_000;
const MAX = 300_000;
const WELL_AFTER = 600_000;
/** What ends by itself within this time of its start ends soon; milliseconds. */
const SOON = BASE;
/** What was ready for this long works, and was killed for another reason than that it does not; milliseconds. */
const WORKED_AFTER = 1_000;

/**
 * Delays between restarts of one container: none before the first, then 10 s, 20 s, … 5 min, as kubelet's, but counted
 * are only runs that failed of themselves: that ended soon after their start without a signal, or were killed before
 * they had worked. After any other the container starts again at once.
 *
 * kubelet counts every run of less than ten minutes, whatever ended it. Whoever kills an agent in the sandbox a second
 * time wants to see how it comes back, and would be shown ten seconds of CrashLoopBackOff, which say nothing of the agent.
 */
export class RestartBackoff {
  #failures = 0;

  /** Milliseconds to wait before the container is started again after such a run. */
  next({ ran, ready, killed }: Run): number {
    if (ran >= WELL_AFTER) this.#failures = 0;
    if (killed ? ready >= WORKED_AFTER : ran >= SOON) return 0;
    this.#failures += 1;
    if (this.#failures === 1) return 0;
    return Math.min(BASE * 2 ** (this.#failures - 2), MAX);
  }
}
