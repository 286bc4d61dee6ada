import type { RequestListener } from 'node:http';
import { ANNOTATIONS, type BMCDefaults, eventLogName, type VirtualMachineBMC } from '../../api/index.ts';
import {
  type Clock,
  CONFIG_MAPS,
  type ConfigMap,
  type EventRecorder,
  type KubeClient,
  type Logger,
  type ObjectRef,
} from '@groundcrew/controller-runtime';
import { DEFAULT_MIN_PASSWORD } from '../../protocols/accounts.ts';
import type { HostDependencies } from '../../protocols/hosts/index.ts';
import type { DeviceInfo, NativeUdp } from '../../protocols/ipmi/index.ts';
import { SerialQueue } from '../../protocols/serial-queue.ts';
import { BmcAccounts } from './accounts/bmc-accounts.ts';
import type { BmcMetrics } from './bmc-metrics.ts';
import { BmcSecrets } from './bmc-secrets.ts';
import type { EventParts, Hypervisor } from './hypervisor.ts';
import { KubeVirtHypervisor, type KubeVirtReaders, type OpenConsoleSocket } from './kubevirt/index.ts';
import { BmcEventLog } from './log/bmc-event-log.ts';
import { type AgentStatus, BmcStatus } from './objects/bmc-status.ts';
import type { ObjectWatches } from './objects/named-watches.ts';
import { OwnedObject } from './objects/owned-object.ts';
import type { RequestTraces } from './request-traces.ts';
import type { CheckRounds } from './servers/check-rounds.ts';
import { BmcState } from './state/bmc-state.ts';
import { MadeCredentials } from './state/made-credentials.ts';

export interface BmcPartsOptions extends BmcDependencies {
  bmc: VirtualMachineBMC;
  watches: ObjectWatches;
  /** The BMC from the watch cache. */
  latest: () => VirtualMachineBMC | undefined;
  /** What waits to be written in the status. */
  waiting: (base: VirtualMachineBMC) => Partial<AgentStatus>;
  /** Requests a `reconcile` soon. */
  wake: () => void;
  /** Stops background work. */
  signal: AbortSignal;
}

/** The parts of a BMC other than its protocol servers. */
export interface BmcParts {
  readonly logger: Logger;
  readonly secrets: BmcSecrets;
  readonly log: BmcEventLog;
  readonly state: BmcState;
  readonly made: MadeCredentials;
  readonly accounts: BmcAccounts;
  readonly status: BmcStatus;
  /** Serializes changes of the machine. */
  readonly queue: SerialQueue;
  readonly hypervisor: Hypervisor;
  /** Emits an Event on the BMC. */
  readonly report: (...parts: EventParts) => void;
  /** Emits a Warning Event: a reason in CamelCase, and a sentence. */
  readonly warn: (reason: string, message: string) => void;
}

/** Creates the parts of a BMC. They watch the cluster until each of them is stopped. */
export function bmcParts(options: BmcPartsOptions): BmcParts {
  const { bmc, client, watches, clock, latest, waiting, wake, signal, traces } = options;
  const { namespace = '', name } = bmc.metadata;
  const logger = options.logger.child({ kind: bmc.kind, object: `${namespace}/${name}` });
  const status = new BmcStatus({ client, bmc: { namespace, name }, cached: latest, waiting });
  const report = (...parts: EventParts): void => {
    const request = traces.current?.id;
    options.events.event(
      status.latest ?? bmc,
      ...parts,
      request === undefined ? {} : { [ANNOTATIONS.request]: request },
    );
  };
  const warn = (reason: string, message: string): void => {
    report('Warning', reason, message);
  };
  const secrets = new BmcSecrets({ watches, bmc, onChange: wake });
  const log = eventLog(options, { warn, logger });
  const state = new BmcState({ client, watches, bmc, onChange: wake, report: warn, clock, signal, logger });
  const made = new MadeCredentials({ client, bmc, cached: () => secrets.credentials?.object, clock, signal });
  const accounts = new BmcAccounts({
    store: state.accounts,
    minPassword: () => state.redfish.current().settings?.minPasswordLength ?? DEFAULT_MIN_PASSWORD,
    ownerSecret: () => ((latest() ?? bmc).spec.authSecretRef === undefined ? made : undefined),
  });
  const queue = new SerialQueue();
  const hypervisor = new KubeVirtHypervisor({ ...options, status, queue, log, report, logger, bind: traces.bind });
  return { logger, secrets, log, state, made, accounts, status, queue, hypervisor, report, warn };
}

function eventLog(
  { client, watches, bmc, random, clock, wake }: BmcPartsOptions,
  { warn, logger }: Pick<BmcParts, 'warn' | 'logger'>,
): BmcEventLog {
  const object = new OwnedObject<ConfigMap>({
    ...{ client, watches, bmc, kind: CONFIG_MAPS, name: eventLogName(bmc.metadata.name) },
    onChange: () => {
      log.follow();
      wake();
    },
  });
  const log = new BmcEventLog({ object, report: warn, random, clock, logger });
  return log;
}

/** Dependencies shared by all BMCs of a process. */
export interface BmcDependencies {
  client: KubeClient;
  events: EventRecorder;
  /** Local addresses to listen on. */
  addresses: readonly string[];
  deviceInfo: DeviceInfo;
  /** Version of groundcrew: `1.2.3`. Default `0.0`. */
  version?: string;
  /** Restarts a BMC because a client requests it. Default: no effect. */
  restart?: (bmc: ObjectRef) => void;
  /** Serves the pages of the web console; absent: the BMC has no pages. */
  pages?: RequestListener;
  /** Connects to serial consoles. */
  openConsole: OpenConsoleSocket;
  /** What the machines of a process ask KubeVirt once for all of them. Default: each asks for itself. */
  readers?: KubeVirtReaders;
  /** Runs the self-checks of all servers. */
  checks: CheckRounds;
  /** Hosts that the agent may connect to for clients, in addition to those of each BMC. */
  hosts: HostDependencies;
  defaults?: BMCDefaults;
  /** Whether to read the resource usage of VMs from metrics.k8s.io. Default false. */
  metrics?: boolean;
  /** What the agent exports at `/metrics`. */
  agentMetrics: BmcMetrics;
  /** The requests of clients in progress. */
  traces: RequestTraces;
  clock: Clock;
  /** Milliseconds of a monotonic clock. */
  now: () => number;
  random: (size: number) => Buffer;
  /** For the datagrams of IPMI. Default: `node:dgram` only. */
  nativeUdp?: NativeUdp | undefined;
  logger: Logger;
}
