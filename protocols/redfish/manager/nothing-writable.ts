import type { Patch } from '../resource.ts';

/**
 * For resources on which clients and profiles expect PATCH: each property is answered with `PropertyNotWritable`, which says more
 * than 405. The network configuration belongs to the BMC's Service and the cluster.
 */
export const NOTHING_WRITABLE: Patch = {
  rules: { kind: 'object', properties: {} },
  apply: () => Promise.resolve(undefined),
};
