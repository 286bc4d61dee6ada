import { keyOf, type Cache, type Clock, type ObjectRef } from '@groundcrew/controller-runtime';
import type { VirtualMachineInstance } from '../kubevirt/objects.ts';

/** Milliseconds until an expected instance that does not appear is forgotten. */
const EXPIRY = 30_000;

/**
 * Created and deleted instances that the watch has not shown yet. They prevent a second start, and set the status Starting
 * or Stopping at once. The entry is made before the request, because the watch may be faster than the answer.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #entries = new Map<string, { kind: 'start' | 'stop'; since: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(ref: ObjectRef): 'start' | 'stop' | undefined {
    const entry = this.#entries.get(keyOf(ref));
    return entry !== undefined && this.#clock.now() - entry.since < EXPIRY ? entry.kind : undefined;
  }

  set(ref: ObjectRef, kind: 'start' | 'stop'): void {
    this.#entries.set(keyOf(ref), { kind, since: this.#clock.now() });
  }

  clear(ref: ObjectRef): void {
    this.#entries.delete(keyOf(ref));
  }

  /** Ends an expectation when the watch shows the change. Call the result to stop. */
  follow(instances: Cache<VirtualMachineInstance>): () => void {
    return instances.subscribe(({ type, object }) => {
      const expected = this.get(object.metadata);
      const shown =
        type === 'deleted' ||
        (expected === 'start' && type === 'added') ||
        (expected === 'stop' && object.metadata.deletionTimestamp !== undefined);
      if (shown) this.clear(object.metadata);
    });
  }
}
