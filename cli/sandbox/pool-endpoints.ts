import { IP_POOL_CONDITIONS, type IPPool } from '../../api/index.ts';
import type { Cache, Pod } from '@groundcrew/controller-runtime';
import { DHCP_PORT } from '@groundcrew/kubevirt-simulator';
import type { Trouble } from './endpoints.ts';
import type { ReadyPool } from './ready.ts';

/** A pool that is served, with all that a client needs; or one that is not, and what its conditions say. */
export type PoolEndpoint = { pool: ReadyPool; trouble?: undefined } | { pool?: undefined; trouble: Trouble };

/** A pool, and its first agent if that answers. */
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
 * Whether the pool is served. In a sandbox that comes back, a pool reads Ready as it was left until the manager has
 * looked at it, so its agent is asked too.
 */
export function isServed({ pool, agent }: SeenPool): boolean {
  return agent !== undefined && conditionOf(pool, IP_POOL_CONDITIONS.agentReady)?.status === 'True';
}

/** It is not to be served, or what it refers to is not there: nothing changes by waiting. */
export function isHeldUp({ pool }: SeenPool): boolean {
  return pool.spec.paused === true || conditionOf(pool, IP_POOL_CONDITIONS.registered)?.status === 'False';
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
  if (conditionOf(pool, stopped)?.status === 'True') return 'it is paused';
  const conditions = [registered, agentReady].map((type) => conditionOf(pool, type));
  const unmet = conditions.find((condition) => condition?.status !== 'True');
  return unmet?.message ?? 'the manager has not looked at it';
}

function conditionOf({ status }: IPPool, type: string): { status: string; message: string } | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}
