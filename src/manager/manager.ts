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
} from '../kube/index.ts';
import {
  allCaches,
  createCaches,
  NamedSecrets,
  virtualMachineBmcController,
  type AgentOverrides,
  type AgentSettings,
} from './virtualmachinebmc/index.ts';

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

/** The control plane, to be run once. */
export interface Manager {
  /**
   * Runs until `signal` is aborted, and resolves when everything has stopped.
   *
   * @throws CacheSyncError, LeadershipLostError, or what keeps a server from listening: the process should end with an error
   */
  run(signal: AbortSignal): Promise<void>;
}

/** BMCs that are worked on at a time: each waits for the API server most of its time. */
const WORKERS = 8;

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
  const { watchNamespaces = [] } = options;
  // Everything that concerns a BMC is in its namespace, so namespaces need not know of one another.
  for (const namespace of watchNamespaces.length === 0 ? [undefined] : watchNamespaces) {
    addControllers(runtime, options, events, namespace);
  }
  return {
    async run(signal) {
      const server = new HealthServer({ metrics, logger });
      try {
        if (options.metricsAddress !== undefined) await server.listen(options.metricsAddress);
        await runtime.run(signal);
      } finally {
        await server.close();
        await events.flush();
      }
    },
  };
}

function election(options: ManagerOptions, settings: LeaderElectionSettings): LeaderElection {
  const { client, clock, logger, metrics, namespace } = options;
  const { name = FIELD_MANAGER, identity } = settings;
  return new LeaderElection({ client, namespace, name, identity, clock, logger, metrics });
}

function addControllers(
  runtime: Runtime,
  options: ManagerOptions,
  events: EventRecorder,
  namespace: string | undefined,
): void {
  const { client, clock, logger, metrics, random, bmcDefaults = BMC_DEFAULTS } = options;
  const reading = { client, clock, logger, ...(metrics === undefined ? {} : { metrics }) };
  const caches = createCaches({ ...reading, ...(namespace === undefined ? {} : { namespace }) });
  const secrets = new NamedSecrets(reading);
  const controller = virtualMachineBmcController({
    name: namespace === undefined ? 'virtualmachinebmc' : `virtualmachinebmc/${namespace}`,
    client,
    caches,
    secrets,
    defaults: agentSettings(options, bmcDefaults),
    bmcDefaults,
    randomBytes: random,
    events,
    clock,
    logger,
    metrics,
    workers: WORKERS,
  });
  for (const cache of allCaches(caches)) runtime.addCache(cache);
  runtime.addController({ name: 'secrets', run: (signal) => secrets.run(signal) });
  runtime.addController(controller);
}

function agentSettings(
  { agentImage, agentDefaults, agentLogLevel }: ManagerOptions,
  { ipmi }: BMCDefaults,
): AgentSettings {
  return {
    // An image that is set for all agents goes before the one that the manager would give them.
    image: agentImage,
    ...agentDefaults,
    ...(agentLogLevel === undefined ? {} : { logLevel: agentLogLevel }),
    ...(ipmi === BMC_DEFAULTS.ipmi ? {} : { extraArgs: [`--default-ipmi=${ipmi}`] }),
  };
}
