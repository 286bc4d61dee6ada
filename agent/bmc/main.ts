import { randomBytes } from 'node:crypto';
import type { BMCDefaults } from '../../api/index.ts';
import { aborted, EventRecorder, HealthServer, KubeClient, sleep, systemClock } from '@groundcrew/controller-runtime';
import { httpsTransport } from '@groundcrew/controller-runtime/transport-https';
import type { DeviceInfo } from '../../protocols/ipmi/index.ts';
import { type AgentProcessOptions, inClusterConfig, processMetrics, runProcess } from '../process/index.ts';
import { BmcMetrics } from './bmc-metrics.ts';
import type { BmcDependencies } from './bmc-parts.ts';
import { BmcSet, drained } from './bmc-set.ts';
import { hostDependencies } from './host-dependencies.ts';
import { consoleSockets, timedCalls } from './kubevirt/index.ts';
import { FIELD_MANAGER } from './objects/bmc-status.ts';
import { NamedWatches } from './objects/named-watches.ts';
import type { RequestTraces } from './request-traces.ts';
import { tracedCalls } from './traced-calls.ts';

export interface BmcAgentOptions extends AgentProcessOptions {
  namespace: string;
  /** Name of the VirtualMachineBMC to serve. */
  bmc: string;
  podName: string;
  /** Local addresses to listen on. */
  bindAddresses: readonly string[];
  ipmiPort: number;
  /** TCP ports of Redfish over HTTPS and, if the BMC enables it, over plain HTTP. */
  redfishPort: number;
  redfishHttpPort: number;
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
const DRAIN_TIMEOUT = 50_000;
/** Milliseconds from a client's restart request to the restart. */
const RESTART_DELAY = 500;

/**
 * Serves a BMC until SIGTERM or SIGINT, or with GROUNDCREW_EXIT_WITH_PARENT=1 until standard input ends.
 *
 * @returns the process's exit code
 */
export async function runBmcAgent(options: BmcAgentOptions): Promise<number> {
  return await runProcess(options, (stop) => serve(options, stop));
}

async function serve(options: BmcAgentOptions, stop: AbortSignal): Promise<void> {
  const { logger } = options;
  const clock = systemClock;
  await using parts = new AsyncDisposableStack();
  const access = inClusterConfig(options.env);
  const metrics = new BmcMetrics(() => bmcs.gauges);
  const now = (): number => performance.now();
  const transport = timedCalls(tracedCalls(httpsTransport(access), options.traces, logger, now), now, (...call) => {
    metrics.called(...call);
  });
  const client = new KubeClient({ transport, fieldManager: FIELD_MANAGER });
  parts.defer(() => client.close());
  const events = new EventRecorder({ client, component: FIELD_MANAGER, instance: options.podName, clock, logger });
  parts.defer(() => events.flush());
  const restart = new AbortController();
  const bmcs: BmcSet = bmcSet(options, client, events, {
    agentMetrics: metrics,
    openConsole: consoleSockets(access),
    hosts: hostDependencies(clock, {
      allowsLoopback: options.allowLoopback ?? false,
      ownApi: hostAndPort(access.server),
    }),
    restart: () => {
      logger.info({}, 'a client requested a restart');
      restart.abort();
    },
  });
  const health = new HealthServer({
    readyz: new Map([['bmc', () => bmcs.problem]]),
    metrics: processMetrics({ component: 'bmc-agent', version: options.version ?? 'unknown' }, () =>
      metrics.families(),
    ),
    logger,
  });
  await health.listen({ host: options.bindAddresses[0] ?? '0.0.0.0', port: options.healthPort });
  parts.defer(() => health.close());

  const end = new AbortController();
  const ended = bmcs.run(end.signal);
  await aborted(AbortSignal.any([stop, restart.signal]));
  logger.info({ sessions: bmcs.sessionCount }, 'stopping');
  // A requested restart is immediate, after a short delay for the response.
  if (restart.signal.aborted) {
    bmcs.drain();
    await sleep(clock, RESTART_DELAY, stop).catch(() => undefined);
  } else await drained(bmcs, { clock, patience: DRAIN_TIMEOUT });
  end.abort();
  await ended;
}

function bmcSet(
  options: BmcAgentOptions,
  client: KubeClient,
  events: EventRecorder,
  ways: Pick<BmcDependencies, 'openConsole' | 'hosts' | 'restart' | 'agentMetrics'>,
): BmcSet {
  const { namespace, bmc, podName, bindAddresses, ipmiPort, redfishPort, redfishHttpPort, version, logger } = options;
  return new BmcSet({
    client,
    watches: new NamedWatches({ client, namespace, clock: systemClock, logger }),
    events,
    namespace,
    name: bmc,
    podName,
    addresses: bindAddresses,
    ...{ ipmiPort, redfishPort, redfishHttpPort },
    deviceInfo: deviceInfoOf(version ?? '0.0'),
    ...(version === undefined ? {} : { version }),
    ...(options.defaults === undefined ? {} : { defaults: options.defaults }),
    ...ways,
    metrics: options.metrics ?? false,
    traces: options.traces,
    clock: systemClock,
    now: () => performance.now(),
    random: randomBytes,
    logger,
  });
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
