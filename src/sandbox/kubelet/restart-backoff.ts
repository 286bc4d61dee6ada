/** The first wait, the longest, and the run after which a container counts as well again; milliseconds. */
const BASE = 10_000;
const MAX = 300_000;
const WELL_AFTER = 600_000;

/** kubelet's delays between restarts of one container: none before the first, then 10 s, 20 s, … 5 min. */
export class RestartBackoff {
  #restarts = 0;

  /** Milliseconds to wait before the container, which ran for `ran` milliseconds, is started again. */
  next(ran: number): number {
    if (ran >= WELL_AFTER) this.#restarts = 0;
    this.#restarts += 1;
    if (this.#restarts === 1) return 0;
    return Math.min(BASE * 2 ** (this.#restarts - 2), MAX);
  }
}
