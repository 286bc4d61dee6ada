import { randomBytes } from 'node:crypto';
import type { BMCDefaults } from '../../api/index.ts';
import { aborted, EventRecorder, HealthServer, KubeClient, sleep, systemClock } from '../../kube/index.ts';
import { httpsTransport } from '../../kube/transport-https.ts';
import { inClusterConfig, runProcess, type AgentProcessOptions } from '../process/index.ts';
import { BmcSet } from './bmc-set.ts';
import { consoleSockets, type OpenConsoleSocket } from './console/index.ts';
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
  /** Whether metrics.k8s.io may be asked what the VM uses; needs the right to list its pods. Default false. */
  metrics?: boolean;
  /** Of groundcrew, as the BMC's firmware revision shows it: `1.2.3`. */
  version?: string;
}

/** Longest time that open sessions are waited for, milliseconds. Kubelet's own patience may end before. */
const DRAIN_TIMEOUT = 60_000;
const DRAIN_PERIOD = 100;
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
  bmcs.drain();
  // Whoever asks for a restart wants it now; the answer to that has a moment to get out.
  const until = clock.now() + (restart.signal.aborted ? RESTART_DELAY : DRAIN_TIMEOUT);
  if (restart.signal.aborted) await sleep(clock, RESTART_DELAY, stop).catch(() => undefined);
  while (bmcs.sessionCount > 0 && clock.now() < until) await sleep(clock, DRAIN_PERIOD, end.signal);
  end.abort();
  await ended;
}

function bmcSet(
  options: BmcAgentOptions,
  client: KubeClient,
  events: EventRecorder,
  ways: { openConsole: OpenConsoleSocket; restart: () => void },
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
