import { randomBytes } from 'node:crypto';
import type { BMCDefaults } from '../../api/index.ts';
import { aborted, EventRecorder, HealthServer, KubeClient, sleep, systemClock } from '@groundcrew/controller-runtime';
import { httpsTransport } from '@groundcrew/controller-runtime/transport-https';
import { inClusterConfig, runProcess, type AgentProcessOptions } from '../process/index.ts';
import { BmcSet } from './bmc-set.ts';
import type { BmcDependencies } from './bmc-dependencies.ts';
import { consoleSockets } from './console/index.ts';
import { drained } from './drained.ts';
import { hostDependencies } from './host-dependencies.ts';
import { deviceInfoOf } from './ipmi/index.ts';
import { FIELD_MANAGER } from './status/index.ts';
import { NamedWatches } from './watches/index.ts';

export interface BmcAgentOptions extends AgentProcessOptions {
  namespace: string;
  /** Name of the VirtualMachineBMC to serve. */
  bmc: string;
  podName: string;
  /** Local addresses to listen on. */
  bindAddresses: readonly string[];
  ipmiPort: number;
  /** TCP ports of Redfish over HTTPS and, where the BMC wants it, over plain HTTP. */
  redfishPort: number;
  redfishHttpPort: number;
  healthPort: number;
  /** What the installation chose for BMCs that do not say. */
  defaults?: BMCDefaults;
  /** Whether clients may name this machine itself, where all of a cluster is simulated on it. Default false. */
  allowLoopback?: boolean;
  /** Whether metrics.k8s.io may be asked what the VM uses; needs the right to list its pods. Default false. */
  metrics?: boolean;
  /** Of groundcrew, as the BMC's firmware revision shows it: `1.2.3`. */
  version?: string;
}

/**
 * Longest time that clients are waited for, milliseconds: of the 60 s that the pod has, some are left to close sockets and to write what
 * is not written yet.
 */
const DRAIN_TIMEOUT = 50_000;
/** Milliseconds from when a client asks for a restart. */
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
  const client = new KubeClient({ transport: httpsTransport(access), fieldManager: FIELD_MANAGER });
  parts.defer(() => client.close());
  const events = new EventRecorder({ client, component: FIELD_MANAGER, instance: options.podName, clock, logger });
  parts.defer(() => events.flush());
  const restart = new AbortController();
  const bmcs = bmcSet(options, client, events, {
    openConsole: consoleSockets(access),
    hosts: hostDependencies(clock, {
      allowsLoopback: options.allowLoopback ?? false,
      ownApi: hostAndPort(access.server),
    }),
    restart: () => {
      logger.info({}, 'a client has asked for a restart');
      restart.abort();
    },
  });
  const health = new HealthServer({ readyz: new Map([['bmc', () => bmcs.problem]]), logger });
  await health.listen({ host: options.bindAddresses[0] ?? '0.0.0.0', port: options.healthPort });
  parts.defer(() => health.close());

  const end = new AbortController();
  const ended = bmcs.run(end.signal);
  await aborted(AbortSignal.any([stop, restart.signal]));
  logger.info({ sessions: bmcs.sessionCount }, 'stopping');
  // Whoever asks for a restart wants it now; the answer to that has a moment to get out.
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
  ways: Pick<BmcDependencies, 'openConsole' | 'hosts' | 'restart'>,
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
