import { keyOf, type ObjectRef } from '@groundcrew/controller-runtime';
import type { AddressSpace, IPLease } from '../../../api/index.ts';
import { SHOWN, usageOf, type Usage } from './usage.ts';

interface View {
  usage: Usage;
  /** Of the spec that it was counted by. */
  spec: string;
  at: number;
}

/** Milliseconds between two counts of a pool: of an empty one, and of one with as many leases as are shown. */
const SHORTEST = 1000;
const LONGEST = 10_000;

/**
 * Counts pools at intervals that grow with what has to be counted and sent, so that a storm of leases costs as much for
 * each of them at its end as at its beginning.
 */
export class UsageViews {
  readonly #views = new Map<string, View>();

  /**
   * @param spec that tells one spec from another: also that of a pool that was made again under the name
   * @param leases of the pool, asked for only where they are counted
   * @returns the usage, and the milliseconds after which it is to be looked at again, where it may be out of date
   */
  read(
    pool: ObjectRef,
    spec: string,
    space: AddressSpace,
    leases: () => readonly IPLease[],
    now: number,
  ): { usage: Usage; lookAgain?: number } {
    const last = this.#views.get(keyOf(pool));
    if (last?.spec === spec) {
      const due = last.at + interval(last.usage) - now;
      if (due > 0) return { usage: last.usage, lookAgain: due };
    }
    const usage = usageOf(space, leases());
    this.#views.set(keyOf(pool), { usage, spec, at: now });
    return { usage };
  }

  forget(pool: ObjectRef): void {
    this.#views.delete(keyOf(pool));
  }
}

function interval({ used }: Usage): number {
  return SHORTEST + (Math.min(used, SHOWN) / SHOWN) * (LONGEST - SHORTEST);
}
