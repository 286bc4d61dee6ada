import type { Patch } from '../resource.ts';

/**
 * For resources that clients and profiles expect to change: each property that they send is `PropertyNotWritable`, which says more than
 * a refused method does. How a BMC is reached is up to its Service and to the cluster.
 */
export const NOTHING_WRITABLE: Patch = {
  rules: { kind: 'object', properties: {} },
  apply: () => Promise.resolve(undefined),
};
