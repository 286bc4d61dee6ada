/**
 * The content of the status screen. `groundcrew status -o json` prints it, and `groundcrew web` shows it, so this file
 * has only types: it is also part of a page.
 */
export interface Overview {
  /** Whether everything could be read and nothing is wrong. */
  healthy: boolean;
  /** Time of the API server, RFC 3339. */
  time: string;
  managers: ManagerStatus[];
  rollouts: RolloutStatus[];
  /** Agents that serve many BMCs. */
  sharedAgents: SharedAgentStatus[];
  bmcs: BmcStatus[];
  pools: PoolStatus[];
  leases: LeaseStatus[];
  networkConfigs: NetworkConfigStatus[];
  /** The newest first, at most 200. */
  events: EventStatus[];
  problems: Problem[];
}

/** The manager of one namespace. */
export interface ManagerStatus {
  namespace: string;
  /** Its Deployment, or `-`: it was started in another way. */
  deployment: string;
  /** Ready and desired pods, such as `1/2`, or `-`. */
  ready: string;
  /** Holder of the Lease, or `-`. */
  leader: string;
  /** Time of the last renewal, RFC 3339. */
  renewed?: string;
  /** Whether the API server reaches its webhook. `?`: its configuration could not be read. */
  webhook: 'answers' | 'fails' | 'unasked' | 'untried' | 'none' | '?';
}

/** The roll-out of agents of one installation. */
export interface RolloutStatus {
  namespace: string;
  /** `Complete`, `Canary`, `Updating`, `Paused`, `Stopped`, or `Unseen`. */
  phase: string;
  wave: number;
  total: number;
  updated: number;
  ready: number;
  failing: number;
  held: number;
}

/** An agent that serves many BMCs of a namespace. */
export interface SharedAgentStatus {
  namespace: string;
  name: string;
  /** The pod that acts, or `-`. */
  acting: string;
  /** Ready pods of those that there should be: `2/2`. */
  ready: string;
  /** Names of its BMCs. */
  bmcs: string[];
  /** The most BMCs that it may get; undefined: a manager of another version has made it. */
  capacity?: string;
}

/** One BMC. */
export interface BmcStatus {
  namespace: string;
  name: string;
  virtualMachine: string;
  /** Power state, `missing` if the VM does not exist, or `?`. */
  power: string;
  /** `<address>:<port>` for IPMI, or `-`. */
  ipmi: string;
  /** Redfish URL, or `-`. */
  redfish: string;
  /** Name of the agent's pod, or of the shared agent, or `-`. */
  agent: string;
  /** `Ready`, or why it is not. */
  agentState: string;
  restarts: number;
  phase: string;
  /** The last action that a client requested. */
  lastAction?: Action;
}

/** An action that a client requested from a BMC. */
export interface Action {
  /** RFC 3339. */
  time: string;
  reason: string;
  message: string;
}

/** One IPPool. */
export interface PoolStatus {
  namespace: string;
  name: string;
  /** `namespace/name` of its net-attach-def. */
  network: string;
  /** The network, such as `10.0.0.0/24`; `-` if the pool has no addresses. */
  cidr: string;
  /** First and last address to lease, or `-`. */
  start: string;
  end: string;
  /** Addresses of the DHCP servers. */
  servers: string[];
  router?: string;
  /** Addresses, ranges such as `10.0.0.5-10.0.0.9`, and networks that are not leased. */
  excluded: string[];
  /** Number of addresses: leased, leased and bound, without a VM but not free yet, and total. */
  used: number;
  bound: number;
  resting: number;
  total: number;
  /** Ready and desired number of agents, such as `1/2`. */
  agents: string;
  phase: string;
}

/** An address: leased, reserved or requested. */
export interface LeaseStatus {
  /** Of the VM, or of the lease if it has none. */
  namespace: string;
  /** The VM, or `-` for an address reserved by an administrator. */
  name: string;
  macAddress: string;
  /** `-` while the client waits for an address. */
  address: string;
  /** Absent while no lease exists. */
  poolNamespace?: string;
  /** The pool, or the network while no lease exists. */
  pool: string;
  /** `Bound`, `Allocated` (never requested), `Declined`, `Quarantined`, `Released`, `Resting`, `Retained` or `Pending`. */
  state: string;
  lastSeen?: string;
}

/** One VirtualMachineNetworkConfig: the addresses of a VM. */
export interface NetworkConfigStatus {
  namespace: string;
  name: string;
  virtualMachine: string;
  /** `Pending`, `Ready`, `Degraded`, `Paused`, `Failed`, or `Unseen`. */
  phase: string;
  interfaces: NetworkConfigInterface[];
  /** Absent: false. */
  paused?: true;
}

export interface NetworkConfigInterface {
  /** `namespace/name` of its net-attach-def. */
  network: string;
  macAddress: string;
  /** `-` while it has none. */
  address: string;
  /** `Allocated`, `Pending`, `Stale` (to be released), or `Unseen` by the manager. */
  state: string;
}

/** An Event about an object of Groundcrew. */
export interface EventStatus {
  /** `namespace/name` of the Event itself. */
  id: string;
  /** When it happened last, RFC 3339. */
  time: string;
  /** The object that it is about. */
  kind: string;
  namespace: string;
  name: string;
  type: string;
  reason: string;
  message: string;
  /** How often it happened. */
  count: number;
}

/** What is wrong with one object, and what to do. */
export interface Problem {
  kind: string;
  namespace?: string;
  /** Absent: all objects of the kind. */
  name?: string;
  /** CamelCase, stable. */
  reason: string;
  /** A sentence. */
  what: string;
  /** Absent: `what` says it. */
  todo?: string;
}
