import type { IPLease, IPPool } from '../../../../api/index.ts';
import type { Verdict } from '../verdict.ts';

/** Maximum number of users in a message. */
const NAMED = 10;

/** Rejects the deletion of a pool in use. `leases`: the pool's leases that are neither released nor retained. */
export function inUse({ metadata }: IPPool, leases: readonly IPLease[], areMore: boolean): Verdict {
  if (leases.length === 0) return {};
  const users = leases.slice(0, NAMED).map(({ spec }) => {
    const { vmNetworkConfigRef: config, ipAddress, macAddress } = spec;
    const who =
      config === undefined ? macAddress : `VirtualMachineNetworkConfig ${config.namespace ?? ''}/${config.name}`;
    return `${who} (${ipAddress})`;
  });
  const more = areMore || leases.length > users.length ? ' and others' : '';
  return {
    errors: [
      {
        field: 'metadata.name',
        type: 'Forbidden',
        detail: `IPPool ${metadata.name} is in use by ${users.join(', ')}${more}; delete these, or their virtual machines, first`,
      },
    ],
  };
}
