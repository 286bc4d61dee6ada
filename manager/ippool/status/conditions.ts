import { IP_POOL_CONDITIONS } from '../../../api/index.ts';
import { agentReady } from './agent-ready.ts';
import { cacheReady } from './cache-ready.ts';
import type { PoolInputs } from './inputs.ts';
import { holds, holdsNot, type ConditionResult } from '../../conditions.ts';
import { listOf } from './list-of.ts';
import { REASONS } from './reasons.ts';
import { registered } from './registered.ts';

const { agentReady: AGENT_READY, cacheReady: CACHE_READY, registered: REGISTERED, ready: READY } = IP_POOL_CONDITIONS;

/** The result of each condition of a pool. */
export type ConditionResults = Record<(typeof IP_POOL_CONDITIONS)[keyof typeof IP_POOL_CONDITIONS], ConditionResult>;

export function resultsOf(inputs: PoolInputs): ConditionResults {
  const needed = {
    [REGISTERED]: registered(inputs),
    [CACHE_READY]: cacheReady(inputs),
    [AGENT_READY]: agentReady(inputs),
  };
  return {
    ...needed,
    [IP_POOL_CONDITIONS.stopped]: stopped(inputs),
    [READY]: ready([needed[REGISTERED], needed[CACHE_READY], needed[AGENT_READY]], inputs),
    [IP_POOL_CONDITIONS.exhausted]: exhausted(inputs),
    [IP_POOL_CONDITIONS.conflictDetected]: conflictDetected(inputs),
  };
}

/** Whether a user has paused the pool. */
function stopped({ pool }: PoolInputs): ConditionResult {
  return pool.spec.paused === true
    ? holds(REASONS.paused, 'spec.paused is set: nobody is answered, and all leases are kept.')
    : holdsNot(REASONS.notPaused, 'The pool is not paused.');
}

/** Whether the pool is fully working; otherwise the first problem. */
function ready(needed: readonly ConditionResult[], { pool }: PoolInputs): ConditionResult {
  if (pool.spec.paused === true) return holdsNot(REASONS.paused, 'The pool is paused. Take spec.paused off.');
  const blocked = needed.find(({ status }) => status !== 'True');
  if (blocked !== undefined) return holdsNot(blocked.reason, blocked.message);
  return holds(REASONS.ready, 'The pool gives addresses, and its clients are answered.');
}

function exhausted({ usage }: PoolInputs): ConditionResult {
  if (usage === undefined || usage.available > 0)
    return holdsNot(REASONS.addressesAvailable, 'There are addresses to give.');
  return holds(
    REASONS.exhausted,
    `All ${usage.total} addresses are taken. Widen spec.ipv4Config.pool, or delete what needs none any more.`,
  );
}

function conflictDetected({ usage }: PoolInputs): ConditionResult {
  const declined = usage?.declined ?? [];
  if (declined.length === 0) return holdsNot(REASONS.noConflict, 'No leased address is in use by somebody else.');
  return holds(
    REASONS.addressInUse,
    `Somebody else on the network uses ${listOf(declined)}. Find out who and take it off there, or add it to exclude.`,
  );
}
