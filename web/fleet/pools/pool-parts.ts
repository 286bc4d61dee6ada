import type { PoolStatus } from '../../../cli/status/overview.ts';
import type { Part } from '../parts/usage-bar.tsx';

type Numbers = Pick<PoolStatus, 'used' | 'bound' | 'resting' | 'total'>;

/** The addresses of a pool by what they are used for. */
export function poolParts({ used, bound, resting, total }: Numbers): Part[] {
  return [
    { name: 'bound', count: bound, look: 'good' },
    // A lease that its client has never requested, or that another machine uses.
    { name: 'allocated', count: Math.max(0, used - bound), look: 'accent' },
    { name: 'resting', count: resting, look: 'warn' },
    { name: 'free', count: Math.max(0, total - Math.max(used, bound) - resting), look: 'free' },
  ];
}

export function sumOfPools(pools: readonly Numbers[]): Numbers {
  const sum = (of: (pool: Numbers) => number): number => pools.reduce((total, pool) => total + of(pool), 0);
  return {
    used: sum(({ used }) => used),
    bound: sum(({ bound }) => bound),
    resting: sum(({ resting }) => resting),
    total: sum(({ total }) => total),
  };
}
