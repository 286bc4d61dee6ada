import { keyOf, type ObjectRef } from '@groundcrew/controller-runtime';
import type { AddressSpace, IPLease } from '../../../api/index.ts';
import { SHOWN, usageOf, type Usage } from './usage.ts';

interface View {
  usage: Usage;
  /** Identifies the counted spec. */
  spec: string;
  at: number;
}

/** Milliseconds between two counts of a pool: for an empty pool, and for one with the maximum of shown leases. */
const SHORTEST = 1000;
const LONGEST = 10_000;

/**
 * Counts the usage of pools at intervals that grow with their size, so that during many lease changes the cost per
 * lease stays constant.
 */
export class UsageViews {
  readonly #views = new Map<string, View>();

  /**
   * @param spec identifies the spec, and the pool if it was recreated under the same name
   * @param leases of the pool, read only if they are counted
   * @returns the usage, and the milliseconds until the next count if the usage may be out of date
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
