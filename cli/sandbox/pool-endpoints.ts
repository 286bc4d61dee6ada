import { IP_POOL_CONDITIONS, type IPPool } from '../../api/index.ts';
import { findCondition, type Cache, type Pod } from '@groundcrew/controller-runtime';
import { DHCP_PORT } from '@groundcrew/kubevirt-simulator';
import type { Trouble } from './endpoints.ts';
import type { ReadyPool } from './until-settled.ts';

/** A served pool with all data that a client needs, or a pool that is not served, with its conditions' message. */
export type PoolEndpoint = { pool: ReadyPool; trouble?: undefined } | { pool?: undefined; trouble: Trouble };

/** A pool, and its first agent if the agent is Ready. */
export interface SeenPool {
  pool: IPPool;
  agent: Pod | undefined;
}

/** The pool's first agent, if it is Ready. */
export function agentOf({ status }: IPPool, pods: Pick<Cache<Pod>, 'get'>): Pod | undefined {
  const { namespace, name, uid } = status?.agentPodRef ?? {};
  if (namespace === undefined || name === undefined) return undefined;
  const pod = pods.get({ namespace, name });
  if (pod === undefined || pod.metadata.uid !== uid || pod.metadata.deletionTimestamp !== undefined) return undefined;
  const isReady = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
  return isReady === true ? pod : undefined;
}

/**
 * Whether the pool is served. After a restore the Ready condition of a pool is stale until the manager has reconciled
 * it, so the agent is checked too.
 */
export function isServed({ pool, agent }: SeenPool): boolean {
  return (
    agent !== undefined && findCondition(pool.status?.conditions, IP_POOL_CONDITIONS.agentReady)?.status === 'True'
  );
}

/** The pool is paused or a referenced object does not exist, so waiting does not help. */
export function isHeldUp({ pool }: SeenPool): boolean {
  return (
    pool.spec.paused === true ||
    findCondition(pool.status?.conditions, IP_POOL_CONDITIONS.registered)?.status === 'False'
  );
}

export function poolEndpointOf(seen: SeenPool): PoolEndpoint {
  const { pool, agent } = seen;
  const { name, namespace = 'default' } = pool.metadata;
  const host = agent?.status?.podIP;
  const config = pool.spec.ipv4Config;
  if (!isServed(seen) || host === undefined || config === undefined) {
    return { trouble: { name: `IPPool ${namespace}/${name}`, message: troubleOf(pool) } };
  }
  const relay = config.router ?? config.serverIP;
  return { pool: { namespace, name, cidr: config.cidr, dhcp: { host, port: DHCP_PORT }, relay } };
}

function troubleOf(pool: IPPool): string {
  const { stopped, registered, agentReady } = IP_POOL_CONDITIONS;
  if (findCondition(pool.status?.conditions, stopped)?.status === 'True') return 'it is paused';
  const conditions = [registered, agentReady].map((type) => findCondition(pool.status?.conditions, type));
  const unmet = conditions.find((condition) => condition?.status !== 'True');
  return unmet?.message ?? 'the manager has not looked at it';
}
