import {
  IP_POOL_CONDITIONS,
  isQuarantined,
  isReleased,
  isRetained,
  LABELS,
  networkKey,
  networkLabel,
  type IPLease,
  type IPPool,
  type VirtualMachineNetworkConfig,
} from '../../api/index.ts';
import type { KubeObject } from '@groundcrew/controller-runtime';
import type { Inputs } from './inputs.ts';
import { once } from './once.ts';
import type { LeaseStatus, PoolStatus, Problem } from './overview.ts';
import { byName, inOrder } from './overview-order.ts';
import { podState } from './pod-state.ts';
import { age, conditionTroubles, isNew, leftToOther, type Now, type Trouble } from './problem.ts';

/** One row per pool, sorted by namespace and name. */
export function evaluatePools({ pools, leases }: Inputs): PoolStatus[] {
  const byPool = Map.groupBy(leases, ({ metadata }) => keyOf(metadata.namespace, metadata.labels?.[LABELS.ipPool]));
  const rows = pools.map((pool) => {
    const { namespace, name } = pool.metadata;
    return evaluatePool(pool, byPool.get(keyOf(namespace, name)) ?? []);
  });
  return inOrder('pools', rows);
}

function keyOf(namespace = '', name = ''): string {
  return `${namespace}/${name}`;
}

function evaluatePool(pool: IPPool, leases: readonly IPLease[]): PoolStatus {
  const { metadata, spec, status } = pool;
  const namespace = metadata.namespace ?? '';
  const addresses = addressesOf(spec);
  const { used = leases.length, resting = 0, total = 0 } = status?.ipv4 ?? {};
  const ready = status?.agents?.filter((agent) => agent.ready === true).length ?? 0;
  return {
    namespace,
    name: metadata.name,
    network: networkKey(spec.networkName, namespace),
    ...addresses,
    ...{ used, resting, total },
    bound: leases.filter((lease) => lease.status?.state === 'Bound').length,
    agents: `${ready}/${Math.max(1, addresses.servers.length)}`,
    phase: status?.phase ?? 'Unseen',
  };
}

function addressesOf({
  ipv4Config,
}: IPPool['spec']): Pick<PoolStatus, 'cidr' | 'start' | 'end' | 'servers' | 'router' | 'excluded'> {
  if (ipv4Config === undefined) return { cidr: '-', start: '-', end: '-', servers: [], excluded: [] };
  const { cidr, router, pool, serverIP, serverIPs = [serverIP] } = ipv4Config;
  return {
    ...{ cidr, start: pool.start, end: pool.end, servers: serverIPs, excluded: pool.exclude ?? [] },
    ...(router === undefined ? {} : { router }),
  };
}

const MEANING = {
  bad: [IP_POOL_CONDITIONS.exhausted, IP_POOL_CONDITIONS.conflictDetected],
  wanted: [IP_POOL_CONDITIONS.stopped],
};

/** One row per lease and per interface that waits for a lease. */
export function evaluateLeases({ leases, networkConfigs }: Inputs): LeaseStatus[] {
  return inOrder('leases', [...leases.map(rowOf), ...networkConfigs.flatMap(waiting)]);
}

/** What keeps pools and their agents from working. */
export function poolProblems(inputs: Inputs): Problem[] {
  const now = (): number => inputs.now;
  const agents = inputs.pods
    .filter(({ metadata }) => metadata.labels?.[LABELS.component] === 'dhcp-agent')
    .toSorted(byObject);
  const states = agents.map((pod) => ({
    ref: pod.metadata,
    network: networkOf(pod),
    state: podState(pod, now),
  }));
  const served = new Set(states.filter(({ state }) => state.word === 'Ready').map(({ network }) => network));
  // The manager sees a little later that a new one is ready.
  const told = new Set(agents.filter((pod) => isNew(pod, now)).map(networkOf));
  const ofAgents = states.flatMap(({ ref, network, state }): Problem[] => {
    const { trouble, isMinor, notReadySince } = state;
    // The pool tells if a pod that has ended was not replaced.
    if (trouble === undefined || isMinor === true) return [];
    told.add(network);
    const isOld = notReadySince !== undefined && !served.has(network);
    const old = isOld ? ` What its leases say of clients is ${age(inputs.now - Date.parse(notReadySince))} old.` : '';
    const what = `DHCP agent of network ${network}: ${trouble.what}${old}`;
    return [{ kind: 'Pod', namespace: ref.namespace ?? '', name: ref.name, ...trouble, what }];
  });
  const ofPools = inputs.pools.toSorted(byObject).flatMap((pool) => {
    const { namespace = '', name } = pool.metadata;
    const isTold = told.has(networkLabel(networkKey(pool.spec.networkName, namespace)));
    return poolTroubles(pool, isTold, now).map((trouble): Problem => ({ kind: 'IPPool', namespace, name, ...trouble }));
  });
  return [...ofPools, ...ofAgents];
}

function networkOf({ metadata }: KubeObject): string {
  return metadata.labels?.[LABELS.network] ?? '';
}

function poolTroubles(pool: IPPool, isTold: boolean, now: Now): Trouble[] {
  const { spec, status } = pool;
  // A paused pool is not a problem, and its other problems do not matter during the pause.
  if (spec.paused === true && status?.conditions !== undefined) return [];
  const left = leftToOther(status?.conditions);
  if (left !== undefined) return [left];
  // One of several agents that does not answer leaves AgentReady True.
  const degraded = status?.conditions?.find(({ reason }) => reason === 'AgentsDegraded');
  return [
    ...conditionTroubles(pool, now, {
      ...MEANING,
      replaced: ({ type }) => isTold && type === IP_POOL_CONDITIONS.agentReady,
    }),
    ...(degraded === undefined || isTold ? [] : [{ reason: degraded.reason, what: degraded.message }]),
  ];
}

const rowOf = once((lease: IPLease): LeaseStatus => {
  const { metadata, spec, status } = lease;
  return {
    namespace: spec.vmRef?.namespace ?? metadata.namespace ?? '',
    name: spec.vmRef?.name ?? '-',
    macAddress: spec.macAddress,
    address: spec.ipAddress,
    poolNamespace: metadata.namespace ?? '',
    pool: metadata.labels?.[LABELS.ipPool] ?? '-',
    state: stateOf(lease),
    ...(status?.lastSeen === undefined ? {} : { lastSeen: status.lastSeen }),
  };
});

/** The manager's state of a lease takes precedence over the last message of its client. */
function stateOf(lease: IPLease): string {
  if (isQuarantined(lease)) return 'Quarantined';
  if (isReleased(lease)) return 'Resting';
  return isRetained(lease) ? 'Retained' : (lease.status?.state ?? 'Allocated');
}

function waiting({ metadata, spec, status }: VirtualMachineNetworkConfig): LeaseStatus[] {
  return (status?.networkConfigs ?? [])
    .filter(({ state }) => state === 'Pending')
    .map(({ networkName = '-', macAddress = '-' }) => ({
      namespace: metadata.namespace ?? '',
      name: spec.vmName,
      macAddress,
      address: '-',
      pool: networkName,
      state: 'Pending',
    }));
}

function byObject(a: KubeObject, b: KubeObject): number {
  return byName(a.metadata, b.metadata);
}
