import { BMC_DEFAULTS, type BMCDefaults } from '../api/index.ts';
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
import type { AgentOverrides, AgentSettings } from './children/index.ts';
import { DEFAULT_CLUSTER_DOMAIN } from './cluster-domain.ts';
import { addBmcControllers, bmcAgentArguments } from './wiring/add-bmc-controllers.ts';
import { addNetworkControllers, type AdmissionSettings } from './wiring/add-network-controllers.ts';

/** The name under which all that the manager writes is its own. */
export const FIELD_MANAGER = 'groundcrew-manager';

export interface LeaderElectionSettings {
  /** Name of the Lease, in the manager's namespace. Default `groundcrew-manager`. */
  name?: string;
  /** Of this process, unlike that of any other. */
  identity: string;
}

export interface ManagerOptions {
  /** Its field manager must be `groundcrew-manager`. */
  client: KubeClient;
  clock: Clock;
  /** So many random bytes, fit for passwords. */
  random: (size: number) => Uint8Array;
  logger: Logger;
  metrics?: Metrics;
  /** Image of the agents. */
  agentImage: string;
  /** What else the installation sets for all agents. */
  agentDefaults?: AgentOverrides;
  /** What it chooses for BMCs that do not say. */
  bmcDefaults?: BMCDefaults;
  /** DNS names and addresses by which all BMCs are reached besides their own; their certificates have them. Default: none. */
  certificateNames?: readonly string[];
  /** DNS domain of the cluster's Services. Default `cluster.local`. */
  clusterDomain?: string;
  /** Let their agents ask metrics.k8s.io what the virtual machines use. Default false. */
  bmcMetrics?: boolean;
  /** Further arguments of all agents of BMCs. */
  bmcAgentArgs?: readonly string[];
  /** What it chooses for networks. */
  dhcp?: DhcpDefaults;
  /** How API servers reach the manager's admission server; absent: there is none. */
  admission?: AdmissionSettings;
  /** Of the agents. Default `info`. */
  agentLogLevel?: string;
  /** The manager's own namespace. */
  namespace: string;
  /** Namespaces to work in; absent or empty: all. */
  watchNamespaces?: readonly string[];
  /** Absent: there is no other manager, and this one works at once. */
  leaderElection?: LeaderElectionSettings;
  /** Where `/healthz` and `/readyz` answer, and `/metrics` too; absent: nowhere. */
  healthAddress?: Address;
  /** Where `/metrics` answers besides. */
  metricsAddress?: Address;
}

/** What an installation chooses for networks. */
export interface DhcpDefaults {
  /** What it sets for all DHCP agents. */
  agentDefaults?: AgentOverrides;
  /** Further arguments of all DHCP agents. */
  agentArgs?: readonly string[];
  /** Give interfaces on a pool's network a MAC address where their VM names none. Default true. */
  assignMACs?: boolean;
}

/** The control plane, to be run once. */
export interface Manager {
  /**
   * Runs until `signal` is aborted, and resolves when everything has stopped.
   *
   * @throws CacheSyncError, LeadershipLostError, or what keeps a server from listening: the process should end with an error
   */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Puts the control plane together. It holds no state of its own: it may be stopped and started again at any time.
 *
 * @throws TypeError for a client with another field manager
 */
export function createManager(options: ManagerOptions): Manager {
  const { client, clock, logger, metrics } = options;
  if (client.fieldManager !== FIELD_MANAGER) throw new TypeError(`the client's field manager must be ${FIELD_MANAGER}`);
  const events = new EventRecorder({ client, component: FIELD_MANAGER, clock, logger });
  const runtime = new Runtime({
    clock,
    logger,
    ...(metrics === undefined ? {} : { metrics }),
    ...(options.healthAddress === undefined ? {} : { address: options.healthAddress }),
    ...(options.leaderElection === undefined ? {} : { leaderElection: election(options, options.leaderElection) }),
  });
  const { random, watchNamespaces: namespaces = [], bmcDefaults = BMC_DEFAULTS } = options;
  const clusterDomain = options.clusterDomain ?? DEFAULT_CLUSTER_DOMAIN;
  const dependencies = { runtime, client, events, clock, random, logger, metrics, namespaces };
  const bmcs = addBmcControllers(dependencies, {
    defaults: agentSettings(options, bmcDefaults),
    bmcDefaults,
    certificateNames: options.certificateNames ?? [],
    clusterDomain,
    namespace: options.namespace,
  });
  const admission = addNetworkControllers(dependencies, bmcs, {
    agents: dhcpAgentSettings(options),
    assignMACs: options.dhcp?.assignMACs ?? true,
    admission: options.admission,
    namespace: options.namespace,
  });
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

/** Runs all until `signal` is aborted or the first of them ends, with whose error it ends. */
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

function election(options: ManagerOptions, settings: LeaderElectionSettings): LeaderElection {
  const { client, clock, logger, metrics, namespace } = options;
  const { name = FIELD_MANAGER, identity } = settings;
  return new LeaderElection({ client, namespace, name, identity, clock, logger, metrics });
}

function agentSettings(
  { agentImage, agentDefaults, agentLogLevel, bmcMetrics = false, bmcAgentArgs = [] }: ManagerOptions,
  bmcDefaults: BMCDefaults,
): AgentSettings {
  const extraArgs = [...bmcAgentArguments(bmcDefaults), ...bmcAgentArgs];
  return {
    // An image that is set for all agents goes before the one that the manager would give them.
    image: agentImage,
    ...agentDefaults,
    ...(agentLogLevel === undefined ? {} : { logLevel: agentLogLevel }),
    ...(bmcMetrics ? { metrics: true } : {}),
    ...(extraArgs.length === 0 ? {} : { extraArgs }),
  };
}

function dhcpAgentSettings({ agentImage, dhcp = {}, agentLogLevel }: ManagerOptions): AgentSettings {
  return {
    image: agentImage,
    ...dhcp.agentDefaults,
    ...(agentLogLevel === undefined ? {} : { logLevel: agentLogLevel }),
    ...(dhcp.agentArgs === undefined ? {} : { extraArgs: dhcp.agentArgs }),
  };
}
