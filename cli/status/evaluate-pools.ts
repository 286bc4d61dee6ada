import { IP_POOL_CONDITIONS, LABELS, networkKey, type IPLease, type IPPool } from '../../api/index.ts';
import { problemsOf, type Problem } from './problem.ts';
import { byName } from './by-name.ts';
import type { Inputs } from './load-inputs.ts';

/** One IPPool on the status screen. */
export interface PoolStatus {
  namespace: string;
  name: string;
  /** `namespace/name` of its net-attach-def. */
  network: string;
  /** Number of addresses: leased, leased and bound, and total. */
  used: number;
  bound: number;
  total: number;
  /** Ready and desired number of agents, such as `1/2`. */
  agents: string;
  phase: string;
  problems: Problem[];
}

/** One row per pool, sorted by namespace and name. */
export function evaluatePools({ pools, leases }: Inputs): PoolStatus[] {
  return pools.map((pool) => evaluatePool(pool, leasesOf(pool, leases))).sort(byName);
}

function evaluatePool(pool: IPPool, leases: readonly IPLease[]): PoolStatus {
  const { metadata, spec, status } = pool;
  const namespace = metadata.namespace ?? '';
  const servers = spec.ipv4Config?.serverIPs?.length ?? 1;
  const ready = status?.agents?.filter((agent) => agent.ready === true).length ?? 0;
  return {
    namespace,
    name: metadata.name,
    network: networkKey(spec.networkName, namespace),
    used: status?.ipv4?.used ?? leases.length,
    bound: leases.filter((lease) => lease.status?.state === 'Bound').length,
    total: status?.ipv4?.total ?? 0,
    agents: `${ready}/${servers}`,
    phase: status?.phase ?? 'Unseen',
    // A paused pool is not a problem, and its other problems do not matter during the pause.
    problems: spec.paused === true && status?.conditions !== undefined ? [] : problemsOf(status?.conditions, MEANING),
  };
}

const MEANING = {
  bad: [IP_POOL_CONDITIONS.exhausted, IP_POOL_CONDITIONS.conflictDetected],
  wanted: [IP_POOL_CONDITIONS.stopped],
};

function leasesOf({ metadata }: IPPool, leases: readonly IPLease[]): IPLease[] {
  return leases.filter(
    (lease) =>
      lease.metadata.namespace === metadata.namespace && lease.metadata.labels?.[LABELS.ipPool] === metadata.name,
  );
}
