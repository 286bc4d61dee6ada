import type { Observation } from './observation.ts';

/**
 * The observations that wait to be written, by UID of their lease. Finding the next one that is due costs the same however many wait:
 * they are searched together, and only after all those found before are taken.
 */
export class WaitingObservations {
  readonly #byLease = new Map<string, Observation>();
  /** UIDs of leases with an observation that was due at the last search, the oldest last. */
  #due: string[] = [];

  get size(): number {
    return this.#byLease.size;
  }

  get(uid: string): Observation | undefined {
    return this.#byLease.get(uid);
  }

  put(uid: string, observation: Observation): void {
    this.#byLease.set(uid, observation);
  }

  /** Searches those that are due. @param now monotonic ms */
  search(now: number): void {
    if (this.#due.length > 0) return;
    for (const [uid, { due }] of this.#byLease) if (due <= now) this.#due.push(uid);
    this.#due.reverse();
  }

  /** Removes and returns the next one that the last search found; those of busy leases are left to a later search. */
  take(isBusy: (uid: string) => boolean): Observation | undefined {
    for (let uid = this.#due.pop(); uid !== undefined; uid = this.#due.pop()) {
      const observation = this.#byLease.get(uid);
      if (observation === undefined || isBusy(uid)) continue;
      this.#byLease.delete(uid);
      return observation;
    }
    return undefined;
  }

  /** Removes and returns all. */
  takeAll(): Observation[] {
    const all = [...this.#byLease.values()];
    this.#byLease.clear();
    this.#due = [];
    return all;
  }
}
