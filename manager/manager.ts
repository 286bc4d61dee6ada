import { BMC_DEFAULTS, SHARED_AGENT_CAPACITY, type BMCDefaults, type Ipv4Range, type Placement } from '../api/index.ts';
import {
  EventRecorder,
  HealthServer,
  LeaderElection,
  Runtime,
  type Address,
  type Clock,
  type KubeClient,
  type Logger,
  type Metrics,
} from '@groundcrew/controller-runtime';
import type { AgentDefaults, AgentSettings } from './agent-workload/index.ts';
import { FinalizingRights } from './finalizing-rights.ts';
import { DEFAULT_CLUSTER_DOMAIN } from './flag-values.ts';
import { createNetworkCaches } from './networks/index.ts';
import { ROLLOUT_DEFAULTS, type RolloutDefaults } from './rollout/index.ts';
import {
  addBmcControllers,
  addNetworkControllers,
  addRollout,
  bmcAgentArguments,
  createRollout,
  type AdmissionSettings,
} from './wiring.ts';

/** Field manager of all writes of the manager. */
export const FIELD_MANAGER = 'groundcrew-manager';

const BUILD_INFO = {
  name: 'groundcrew_build_info',
  help: 'Always 1; the labels say which program this is',
  labelNames: ['component', 'version'] as const,
};

export interface LeaderElectionSettings {
  /** Name of the Lease, in the manager's namespace. Default `groundcrew-manager`. */
  name?: string;
  /** Unique identity of this process. */
  identity: string;
}

export interface ManagerOptions {
  /** Its field manager must be `groundcrew-manager`. */
  client: KubeClient;
  clock: Clock;
  /** Returns `size` cryptographically secure random bytes. */
  random: (size: number) => Uint8Array;
  logger: Logger;
  metrics?: Metrics;
  /** Version of groundcrew, for metrics: `1.2.3`. */
  version?: string;
  /** Image of the agents. */
  agentImage: string;
  /** Images that `spec.agent.image` of BMCs and pools may name besides the default. Default: none. */
  allowedAgentImages?: readonly string[];
  /** Other defaults of the installation for all agents. */
  agentDefaults?: AgentDefaults;
  /** Defaults for BMCs. */
  bmcDefaults?: BMCDefaults;
  /** DNS names and addresses of all BMCs in addition to their own; added to their certificates. Default: none. */
  certificateNames?: readonly string[];
  /** DNS domain of the cluster's Services. Default `cluster.local`. */
  clusterDomain?: string;
  /** Domains whose names BMCs may have in their certificates. Default: none. */
  allowedDNSSuffixes?: readonly string[];
  /** Allow BMC agents to read the usage of their virtual machines from metrics.k8s.io. Default false. */
  bmcMetrics?: boolean;
  /** Give each virtual machine a BMC, unless its annotation says otherwise. Default false. */
  autoProvisionBmcs?: boolean | undefined;
  /** Settings for agents that serve many BMCs. */
  sharing?: Partial<Sharing>;
  /** Extra arguments for all BMC agents. */
  bmcAgentArgs?: readonly string[];
  /** Settings for networks. */
  dhcp?: DhcpDefaults;
  /** How agents are updated if their AgentRollout does not say. */
  rollout?: Partial<RolloutDefaults>;
  /** How API servers reach the admission server; absent: no admission server. */
  admission?: AdmissionSettings;
  /** Log level of the agents. Default `info`. */
  agentLogLevel?: string;
  /** The manager's namespace. */
  namespace: string;
  /** Namespaces to work in; absent or empty: all. */
  watchNamespaces?: readonly string[];
  /** ClusterRole and service account of the manager, to keep its permissions in `watchNamespaces` while objects have its finalizers. */
  finalizing?: { role: string; account: string };
  /** Absent: no leader election; the controllers start at once. */
  leaderElection?: LeaderElectionSettings;
  /** Address of `/healthz`, `/readyz` and `/metrics`; absent: none. */
  healthAddress?: Address;
  /** Additional address of `/metrics`. */
  metricsAddress?: Address;
}

/** Settings of an installation for agents that serve many BMCs. */
export interface Sharing {
  /** Placement of BMCs if neither they nor their namespaces say. Default `Dedicated`. */
  placement: Placement;
  /** Most BMCs of one agent. Default 250. */
  capacity: number;
  /** Resources of the pods. Default: requests of 20m and 128Mi, a limit of 512Mi. */
  resources: NonNullable<AgentSettings['sharedResources']>;
}

const SHARING: Pick<Sharing, 'placement' | 'capacity'> = { placement: 'Dedicated', capacity: SHARED_AGENT_CAPACITY };

/** Settings of an installation for networks. */
export interface DhcpDefaults {
  /** Defaults for all DHCP agents. */
  agentDefaults?: AgentDefaults;
  /** Extra arguments for all DHCP agents. */
  agentArgs?: readonly string[];
  /** Assign MAC addresses to interfaces on a pool's network that have none. Default true. */
  assignMACs?: boolean;
  /** Let pools serve networks of other namespaces that do not allow it. Default false. */
  crossNamespacePools?: boolean;
  /** Addresses that the VMs of one namespace may have; 0: no limit. Default 0. */
  addressesPerNamespace?: number;
  /** Private addresses that NTP servers may have if pools name them. Default: none. */
  allowedNtpRanges?: readonly Ipv4Range[];
}

/** The control plane; may be run once. */
export interface Manager {
  /**
   * Runs until `signal` is aborted and resolves when all parts have stopped.
   *
   * @throws CacheSyncError, LeadershipLostError, or the error of a listener; the process should exit with an error
   */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Creates the control plane. It keeps no state of its own: it may be stopped and started at any time.
 *
 * @throws TypeError if the client has another field manager
 */
export function createManager(options: ManagerOptions): Manager {
  const { clock, logger, metrics } = options;
  const unfenced = options.client;
  if (unfenced.fieldManager !== FIELD_MANAGER)
    throw new TypeError(`the client's field manager must be ${FIELD_MANAGER}`);
  const events = new EventRecorder({ client: unfenced, component: FIELD_MANAGER, clock, logger });
  const { client, leaderElection } = leadership(options);
  const runtime = new Runtime({
    clock,
    logger,
    ...(metrics === undefined ? {} : { metrics }),
    ...(options.healthAddress === undefined ? {} : { address: options.healthAddress }),
    ...(leaderElection === undefined ? {} : { leaderElection }),
  });
  metrics?.gauge(BUILD_INFO, () => [
    { labels: { component: 'manager', version: options.version ?? 'unknown' }, value: 1 },
  ]);
  const { random, watchNamespaces: namespaces = [], bmcDefaults = BMC_DEFAULTS } = options;
  const { clusterDomain = DEFAULT_CLUSTER_DOMAIN, allowedDNSSuffixes = [] } = options;
  const namePolicy = { clusterDomain, allowedDNSSuffixes };
  const rights = finalizingRights(options, namespaces);
  if (rights !== undefined) runtime.addController({ name: 'finalizing-rights', run: (signal) => rights.run(signal) });
  const shared = { client, events, clock, logger, metrics, namespaces, rights };
  const settings = { bmc: agentSettings(options, bmcDefaults), dhcp: dhcpAgentSettings(options) };
  const defaults = { ...ROLLOUT_DEFAULTS, ...options.rollout };
  const rollout = createRollout(shared, { namespace: options.namespace, settings, defaults });
  const dependencies = { ...shared, unfenced, runtime, random, rollout };
  const { crossNamespacePools } = options.dhcp ?? {};
  const caches = createNetworkCaches({ ...shared, crossNamespacePools });
  const bmcs = addBmcControllers(dependencies, caches, {
    defaults: settings.bmc,
    bmcDefaults,
    certificateNames: options.certificateNames ?? [],
    namePolicy,
    autoProvision: options.autoProvisionBmcs ?? false,
    sharing: { ...SHARING, ...options.sharing },
    namespace: options.namespace,
  });
  const admission = addNetworkControllers(dependencies, caches, bmcs, {
    agents: settings.dhcp,
    assignMACs: options.dhcp?.assignMACs ?? true,
    allowedNtpRanges: options.dhcp?.allowedNtpRanges ?? [],
    namePolicy,
    bmcDefaults,
    addressesPerNamespace: options.dhcp?.addressesPerNamespace ?? 0,
    admission: options.admission,
    namespace: options.namespace,
  });
  addRollout(dependencies);
  return {
    async run(signal) {
      const server = new HealthServer({ metrics, logger });
      try {
        if (options.metricsAddress !== undefined) await server.listen(options.metricsAddress);
        await together(signal, [
          (stop) => runtime.run(stop),
          ...(admission === undefined ? [] : [(stop: AbortSignal) => admission.serve(stop)]),
        ]);
      } finally {
        await server.close();
        await events.flush();
      }
    },
  };
}

/** Runs all parts until `signal` is aborted or one of them ends; rejects with its error. */
async function together(signal: AbortSignal, parts: readonly ((stop: AbortSignal) => Promise<void>)[]): Promise<void> {
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  const running = parts.map(async (run) => {
    try {
      await run(stop);
    } finally {
      ended.abort();
    }
  });
  await Promise.allSettled(running);
  await Promise.all(running);
}

function finalizingRights(options: ManagerOptions, namespaces: readonly string[]): FinalizingRights | undefined {
  const { client, logger, namespace, finalizing } = options;
  if (namespaces.length === 0 || finalizing === undefined) return undefined;
  const account = { namespace, name: finalizing.account };
  return new FinalizingRights({ client, logger, namespaces, role: finalizing.role, account });
}

/** The leader election, and a client that writes only while this process leads. */
function leadership(options: ManagerOptions): { client: KubeClient; leaderElection?: LeaderElection } {
  const { client, clock, logger, metrics, namespace } = options;
  if (options.leaderElection === undefined) return { client };
  const { name = FIELD_MANAGER, identity } = options.leaderElection;
  const leaderElection = new LeaderElection({ client, namespace, name, identity, clock, logger, metrics });
  return { client: leaderElection.fence(client), leaderElection };
}

function agentSettings(
  {
    agentImage,
    allowedAgentImages,
    agentDefaults,
    agentLogLevel,
    bmcMetrics = false,
    bmcAgentArgs = [],
    sharing,
  }: ManagerOptions,
  bmcDefaults: BMCDefaults,
): AgentSettings {
  const extraArgs = [...bmcAgentArguments(bmcDefaults), ...bmcAgentArgs];
  return {
    // The installation's image overrides the manager's default.
    image: agentImage,
    ...agentDefaults,
    ...(allowedAgentImages === undefined ? {} : { allowedImages: allowedAgentImages }),
    ...(agentLogLevel === undefined ? {} : { logLevel: agentLogLevel }),
    ...(bmcMetrics ? { metrics: true } : {}),
    ...(sharing?.resources === undefined ? {} : { sharedResources: sharing.resources }),
    ...(extraArgs.length === 0 ? {} : { extraArgs }),
  };
}

function dhcpAgentSettings({
  agentImage,
  allowedAgentImages,
  dhcp = {},
  agentLogLevel,
}: ManagerOptions): AgentSettings {
  return {
    image: agentImage,
    ...dhcp.agentDefaults,
    ...(allowedAgentImages === undefined ? {} : { allowedImages: allowedAgentImages }),
    ...(agentLogLevel === undefined ? {} : { logLevel: agentLogLevel }),
    ...(dhcp.agentArgs === undefined ? {} : { extraArgs: dhcp.agentArgs }),
  };
}
