import { keyOf, type Cache, type Clock, type ObjectRef, type Pod } from '@groundcrew/controller-runtime';

/** Milliseconds after which a change that never showed up is no longer waited for. */
const EXPIRY = 30_000;

/**
 * Pods that were made or removed and that the watch has not shown so yet: until it has, counting them would make or
 * remove too many. A pod is expected before the request is sent: its echo may be the faster one.
 */
export class PodExpectations {
  readonly #clock: Clock;
  /** By the pod's key: for whom, and since when. */
  readonly #pending = new Map<string, { owner: string; since: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  expect(owner: string, pod: ObjectRef): void {
    this.#pending.set(keyOf(pod), { owner, since: this.#clock.now() });
  }

  observed(pod: ObjectRef): void {
    this.#pending.delete(keyOf(pod));
  }

  /** Whether nothing is waited for any more. */
  met(owner: string): boolean {
    const now = this.#clock.now();
    for (const [key, entry] of this.#pending) if (now - entry.since > EXPIRY) this.#pending.delete(key);
    return ![...this.#pending.values()].some((entry) => entry.owner === owner);
  }

  /** Takes note of what the watch shows. Call the result to stop. */
  follow(pods: Cache<Pod>): () => void {
    return pods.subscribe(({ type, object }) => {
      if (type !== 'modified' || object.metadata.deletionTimestamp !== undefined) this.observed(object.metadata);
    });
  }
}
