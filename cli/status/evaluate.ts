import type { Inputs } from './run.ts';
import {
  isBMCAction,
  isQuarantined,
  isReleased,
  isRetained,
  powerStateOf,
  IP_POOL_CONDITIONS,
  LABELS,
  networkKey,
  NETWORK_CONFIG_CONDITIONS,
  type VirtualMachineBMC,
  type IPLease,
  type IPPool,
  type VirtualMachineNetworkConfig,
  type Condition,
} from '../../api/index.ts';
import type { Event } from '@groundcrew/controller-runtime';

/** The content of the status screen, also printed by `-o json`. */
export interface Overview {
  bmcs: BmcStatus[];
  pools: PoolStatus[];
  leases: LeaseStatus[];
  /** Only the configs with problems. */
  networkConfigs: ConfigStatus[];
}

/** Converts the cluster objects to rows and problems. */
export function evaluate(inputs: Inputs): Overview {
  return {
    bmcs: evaluateBmcs(inputs),
    pools: evaluatePools(inputs),
    leases: evaluateLeases(inputs),
    networkConfigs: evaluateConfigs(inputs),
  };
}

/** One BMC on the status screen. */
export interface BmcStatus {
  namespace: string;
  name: string;
  virtualMachine: string;
  /** Power state, or `missing` if the VM does not exist. */
  power: string;
  /** `<address>:<port>` for IPMI, or `-`. */
  ipmi: string;
  /** Redfish URL, or `-`. */
  redfish: string;
  /** Name of the agent's pod, or `-`. */
  agent: string;
  phase: string;
  problems: Problem[];
  /** The last action that a client requested. */
  lastAction?: { time: string; reason: string; message: string };
}

/** One row per BMC, sorted by namespace and name. */
export function evaluateBmcs(inputs: Inputs): BmcStatus[] {
  const key = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;
  const keyed = <T extends { metadata: { namespace?: string; name: string } }>(objects: readonly T[]): Map<string, T> =>
    new Map(objects.map((object) => [key(object.metadata.namespace, object.metadata.name), object]));
  const virtualMachines = keyed(inputs.virtualMachines);
  const instances = keyed(inputs.instances);

  return inputs.bmcs
    .map((bmc): BmcStatus => {
      const { namespace = '', name } = bmc.metadata;
      const vmKey = key(namespace, bmc.spec.virtualMachineRef.name);
      const vm = virtualMachines.get(vmKey);
      const lastAction = lastActionOf(bmc, inputs.events);
      return {
        namespace,
        name,
        virtualMachine: bmc.spec.virtualMachineRef.name,
        power: vm === undefined ? 'missing' : powerStateOf(vm, instances.get(vmKey)),
        ipmi: bmc.status?.endpoints?.ipmi ?? '-',
        redfish: bmc.status?.endpoints?.redfish ?? '-',
        agent: bmc.status?.agent?.name ?? '-',
        phase: bmc.status?.phase ?? 'Unseen',
        problems: problemsOf(bmc.status?.conditions),
        ...(lastAction === undefined ? {} : { lastAction }),
      };
    })
    .sort(byName);
}

function lastActionOf(bmc: VirtualMachineBMC, events: readonly Event[]): BmcStatus['lastAction'] {
  const [last] = events
    .filter((event) => event.involvedObject.uid === bmc.metadata.uid && isBMCAction(event.reason ?? ''))
    .map((event) => ({
      time: event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '',
      reason: event.reason ?? '',
      message: event.message ?? '',
    }))
    .sort((a, b) => b.time.localeCompare(a.time));
  return last;
}

/** One IPPool on the status screen. */
export interface PoolStatus {
  namespace: string;
  name: string;
  /** `namespace/name` of its net-attach-def. */
  network: string;
  /** Number of addresses: leased, leased and bound, without a VM but not free yet, and total. */
  used: number;
  bound: number;
  resting: number;
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
  const { used = leases.length, resting = 0, total = 0 } = status?.ipv4 ?? {};
  const ready = status?.agents?.filter((agent) => agent.ready === true).length ?? 0;
  return {
    namespace,
    name: metadata.name,
    network: networkKey(spec.networkName, namespace),
    ...{ used, resting, total },
    bound: leases.filter((lease) => lease.status?.state === 'Bound').length,
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

/** An address on the status screen: leased, reserved or requested. */
interface LeaseStatus {
  namespace: string;
  /** The VM, or `-` for an address reserved by an administrator. */
  name: string;
  macAddress: string;
  /** `-` while the client waits for an address. */
  address: string;
  /** The pool, or the network while no lease exists. */
  pool: string;
  /** `Bound`, `Allocated` (never requested), `Declined`, `Quarantined`, `Released`, `Resting`, `Retained` or `Pending`. */
  state: string;
  lastSeen?: string;
}

/** A VirtualMachineNetworkConfig with a problem. */
interface ConfigStatus {
  namespace: string;
  name: string;
  problems: Problem[];
}

/** One row per lease and per interface that waits for a lease. */
export function evaluateLeases({ leases, networkConfigs }: Inputs): LeaseStatus[] {
  return [...leases.map(rowOf), ...networkConfigs.flatMap(waiting)].sort(
    (a, b) => byName(a, b) || a.macAddress.localeCompare(b.macAddress),
  );
}

/** The configs with problems. */
export function evaluateConfigs({ networkConfigs }: Inputs): ConfigStatus[] {
  return networkConfigs
    .map(({ metadata, spec, status }) => ({
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      problems:
        spec.paused === true && status?.conditions !== undefined
          ? []
          : problemsOf(status?.conditions, { wanted: [NETWORK_CONFIG_CONDITIONS.disabled] }),
    }))
    .filter(({ problems }) => problems.length > 0)
    .sort(byName);
}

function rowOf(lease: IPLease): LeaseStatus {
  const { metadata, spec, status } = lease;
  return {
    namespace: spec.vmRef?.namespace ?? metadata.namespace ?? '',
    name: spec.vmRef?.name ?? '-',
    macAddress: spec.macAddress,
    address: spec.ipAddress,
    pool: metadata.labels?.[LABELS.ipPool] ?? '-',
    state: stateOf(lease),
    ...(status?.lastSeen === undefined ? {} : { lastSeen: status.lastSeen }),
  };
}

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

/** A condition that reports a problem. */
export interface Problem {
  condition: string;
  reason: string;
  message: string;
}

/** How to read the conditions of a kind other than `Ready` and those that are normally True. */
interface Meaning {
  /** Types that report a problem when they are True. */
  bad?: readonly string[];
  /** Types that are never a problem because the user has set them. */
  wanted?: readonly string[];
}

/**
 * The problems of an object according to its conditions. An object without conditions has not been seen by a manager.
 */
function problemsOf(conditions: readonly Condition[] | undefined, meaning: Meaning = {}): Problem[] {
  if (conditions === undefined || conditions.length === 0) {
    const message =
      'No manager has looked at it. Is one running? kubectl get pods -A -l app.kubernetes.io/name=groundcrew';
    return [{ condition: 'Ready', reason: 'NotReconciled', message }];
  }
  const { bad = [], wanted = [] } = meaning;
  const ill = conditions.filter(
    ({ type, status }) => !wanted.includes(type) && status !== (bad.includes(type) ? 'False' : 'True'),
  );
  // Ready is a summary; it is listed only if no other condition reports a problem.
  const causes = ill.filter(({ type }) => type !== 'Ready');
  const told = new Set<string>();
  return (causes.length > 0 ? causes : ill).flatMap(({ type, reason, message }) => {
    if (told.has(`${reason} ${message}`)) return [];
    told.add(`${reason} ${message}`);
    return [{ condition: type, reason, message }];
  });
}

/** Compares rows by namespace and name. */
function byName(a: { namespace: string; name: string }, b: { namespace: string; name: string }): number {
  return a.namespace.localeCompare(b.namespace) || a.name.localeCompare(b.name);
}
