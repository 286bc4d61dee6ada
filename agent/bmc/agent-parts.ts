import { randomBytes } from 'node:crypto';
import type { BMCDefaults } from '../../api/index.ts';
import {
  type Check,
  EventRecorder,
  HealthServer,
  KubeClient,
  systemClock,
  type Transport,
} from '@groundcrew/controller-runtime';
import { httpsTransport } from '@groundcrew/controller-runtime/transport-https';
import { type DeviceInfo, NativeUdp } from '../../protocols/ipmi/index.ts';
import { type AgentProcessOptions, inClusterConfig, processMetrics } from '../process/index.ts';
import { type BmcGauges, BmcMetrics } from './bmc-metrics.ts';
import type { BmcDependencies } from './bmc-parts.ts';
import { hostDependencies } from './host-dependencies.ts';
import { consoleSockets, timedCalls } from './kubevirt/index.ts';
import { FIELD_MANAGER } from './objects/bmc-status.ts';
import { requestSlots } from './objects/request-slots.ts';
import { randomBlocks } from './random-blocks.ts';
import type { RequestTraces } from './request-traces.ts';
import { CheckRounds } from './servers/check-rounds.ts';
import { webPages } from './servers/web-pages.ts';
import { tracedCalls } from './traced-calls.ts';

/** Options of every BMC agent. */
export interface AgentOptions extends AgentProcessOptions {
  namespace: string;
  podName: string;
  /** Local addresses to listen on. */
  bindAddresses: readonly string[];
  healthPort: number;
  /** Defaults of the installation for unset fields. */
  defaults?: BMCDefaults;
  /** Whether clients may name this host itself, for a cluster simulated on it. Default false. */
  allowLoopback?: boolean;
  /** Whether to read the VM's resource usage from metrics.k8s.io; requires the permission to list its pods. Default false. */
  metrics?: boolean;
  /** Version of groundcrew, shown as the BMC's firmware revision: `1.2.3`. */
  version?: string;
  /** The logger adds its fields to each line. */
  traces: RequestTraces;
}

/** Maximum milliseconds to wait for clients. The pod has 60 s; the rest is for closing sockets and pending writes. */
export const DRAIN_TIMEOUT = 50_000;

/**
 * What the BMCs of a process share. It ends with the stack.
 *
 * @param gauges read when the metrics are requested
 */
export function bmcDependencies(
  options: AgentOptions,
  stack: AsyncDisposableStack,
  gauges: () => BmcGauges,
): BmcDependencies {
  const { version, bindAddresses, traces, logger } = options;
  const clock = systemClock;
  const now = (): number => systemClock.monotonic();
  const access = inClusterConfig(options.env);
  const agentMetrics = new BmcMetrics(gauges);
  const transport = timedCalls(tracedCalls(httpsTransport(access), traces, logger, now), now, (...call) => {
    agentMetrics.called(...call);
  });
  const client = agentClient({ transport, traces, clock });
  stack.defer(() => client.close());
  const events = new EventRecorder({ client, component: FIELD_MANAGER, instance: options.podName, clock, logger });
  stack.defer(() => events.flush());
  return {
    ...{ client, events, agentMetrics, traces, clock, now, logger },
    addresses: bindAddresses,
    deviceInfo: deviceInfoOf(version ?? '0.0'),
    ...(version === undefined ? {} : { version }),
    ...(options.defaults === undefined ? {} : { defaults: options.defaults }),
    pages: webPages(logger),
    openConsole: consoleSockets(access),
    hosts: hostDependencies(clock, {
      allowsLoopback: options.allowLoopback ?? false,
      ownApi: hostAndPort(access.server),
    }),
    metrics: options.metrics ?? false,
    checks: new CheckRounds(clock),
    random: randomBlocks(randomBytes),
    nativeUdp: NativeUdp.open(),
  };
}

export interface AgentClientOptions extends Pick<BmcDependencies, 'traces' | 'clock'> {
  transport: Transport;
  /** Of {@link requestSlots}. */
  most?: number;
}

/** The client of an agent. The number of its requests at a time does not grow with the number of BMCs. */
export function agentClient({ transport, traces, clock, most }: AgentClientOptions): KubeClient {
  return new KubeClient({
    transport,
    fieldManager: FIELD_MANAGER,
    omitsManagedFields: true,
    inTurn: requestSlots(() => traces.current, clock, most),
  });
}

/** Serves probes and metrics until the stack ends. */
export async function serveHealth(
  { bindAddresses, healthPort, version = 'unknown', logger }: AgentOptions,
  stack: AsyncDisposableStack,
  metrics: BmcMetrics,
  readyz: ReadonlyMap<string, Check>,
): Promise<void> {
  const families = (): ReturnType<BmcMetrics['families']> => metrics.families();
  const health = new HealthServer({
    readyz,
    metrics: processMetrics({ component: 'bmc-agent', version }, families),
    logger,
  });
  await health.listen({ host: bindAddresses[0] ?? '0.0.0.0', port: healthPort });
  stack.defer(() => health.close());
}

function hostAndPort(server: string): { host: string; port: number } {
  const { hostname: host, port } = new URL(server);
  return { host, port: port === '' ? 443 : Number(port) };
}

/** Device information of the BMC; version `1.2.3` becomes firmware revision 1.2. */
function deviceInfoOf(version: string): DeviceInfo {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return { firmware: { major: Math.min(major, 127), minor: Math.min(minor, 99) } };
}
