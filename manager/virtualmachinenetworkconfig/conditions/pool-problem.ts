import { addressSpaceOf } from '../../../api/index.ts';
import type { InterfaceInputs, PoolInputs } from '../inputs.ts';
import { REASONS, type Problem } from './condition-result.ts';

/** Why no pool of the network leases addresses. */
export function poolProblem({ network, pools }: Pick<InterfaceInputs, 'network' | 'pools'>): Problem {
  const [first] = pools;
  if (first !== undefined) return problemOf(first);
  const message = `No IPPool serves network ${network}. Create one whose spec.networkName is ${network}; it is taken up when it is there.`;
  return { reason: REASONS.noPool, message };
}

/** Why a pool leases no addresses. */
export function problemOf({ pool, standing, rival }: PoolInputs): Problem {
  const name = `IPPool ${pool.metadata.namespace ?? ''}/${pool.metadata.name}`;
  switch (standing) {
    case 'Paused':
      return {
        reason: REASONS.poolPaused,
        message: `${name} is paused and gives no addresses. Set its spec.paused to false.`,
      };
    case 'Ends':
      return { reason: REASONS.poolDeleting, message: `${name} is being deleted and gives no addresses.` };
    case 'Collides': {
      const older = `IPPool ${rival?.metadata.namespace ?? ''}/${rival?.metadata.name ?? ''}`;
      const message = `${name} collides with ${older}, which is older, and gives no addresses. Change the range of one of them.`;
      return { reason: REASONS.poolCollides, message };
    }
    case 'Invalid': {
      const [problem] = addressSpaceOf(pool.spec).problems;
      const why =
        problem === undefined ? 'it has no spec.ipv4Config' : `${problem.field} ${problem.value} ${problem.message}`;
      return { reason: REASONS.poolInvalid, message: `${name} gives no addresses: ${why}.` };
    }
    case 'Gives':
      return {
        reason: REASONS.poolExhausted,
        message: `${name} has no free address. Widen its range, or add a pool on its network; the next address that is free is taken.`,
      };
  }
}
