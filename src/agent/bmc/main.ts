import { randomBytes } from 'node:crypto';
import {
  EventRecorder,
  HealthServer,
  KubeClient,
  serviceAccountConfig,
  sleep,
  systemClock,
  type Logger,
} from '../../kube/index.ts';
import { httpsTransport } from '../../kube/transport-https.ts';
import { BmcSet } from './bmc-set.ts';
import { deviceInfoOf } from './ipmi/device-info.ts';
import { FIELD_MANAGER } from './status/index.ts';
import { NamedWatches } from './watches/index.ts';

export interface BmcAgentOptions {
  namespace: string;
  /** Name of the VirtualMachineBMC to serve. */
  bmc: string;
  podName: string;
  /** Local addresses to listen on. */
  bindAddresses: readonly string[];
  ipmiPort: number;
  healthPort: number;
  /** Of groundcrew, as the BMC's firmware revision shows it: `1.2.3`. */
  version?: string;
  logger: Logger;
  env: Readonly<Record<string, string | undefined>>;
}

/** Longest time that open sessions are waited for, milliseconds. Kubelet's own patience may end before. */
const DRAIN_TIMEOUT = 60_000;
const DRAIN_PERIOD = 100;

/**
 * Serves a BMC until SIGTERM or SIGINT, or with GROUNDCREW_EXIT_WITH_PARENT=1 until standard input ends.
 *
 * @returns the process's exit code
 */
export async function runBmcAgent(options: BmcAgentOptions): Promise<number> {
  const { namespace, logger, env } = options;
  if (env['GROUNDCREW_EXIT_WITH_PARENT'] === '1') exitWithParent();
  const stop = stopSignal();
  const client = new KubeClient({ transport: httpsTransport(inClusterConfig(env)), fieldManager: FIELD_MANAGER });
  const clock = systemClock;
  const events = new EventRecorder({ client, component: FIELD_MANAGER, instance: options.podName, clock, logger });
  const bmcs = new BmcSet({
    client,
    watches: new NamedWatches({ client, namespace, clock, logger }),
    events,
    namespace,
    name: options.bmc,
    podName: options.podName,
    addresses: options.bindAddresses,
    ipmiPort: options.ipmiPort,
    deviceInfo: deviceInfoOf(options.version ?? '0.0'),
    clock,
    now: () => performance.now(),
    random: randomBytes,
    logger,
  });
  const health = new HealthServer({ readyz: new Map([['bmc', () => bmcs.problem]]), logger });
  await health.listen({ host: options.bindAddresses[0] ?? '0.0.0.0', port: options.healthPort });

  const end = new AbortController();
  const ended = bmcs.run(end.signal);
  await aborted(stop);
  logger.info({ sessions: bmcs.sessionCount }, 'stopping');
  bmcs.drain();
  for (const until = clock.now() + DRAIN_TIMEOUT; bmcs.sessionCount > 0 && clock.now() < until;) {
    await sleep(clock, DRAIN_PERIOD, end.signal);
  }
  end.abort();
  await Promise.all([ended, health.close()]);
  await events.flush();
  await client.close();
  return 0;
}

function inClusterConfig(env: BmcAgentOptions['env']): ReturnType<typeof serviceAccountConfig> {
  const {
    KUBERNETES_SERVICE_HOST: host,
    KUBERNETES_SERVICE_PORT: port,
    GROUNDCREW_SERVICEACCOUNT_DIR: directory,
  } = env;
  if (host === undefined || port === undefined) {
    throw new Error(
      'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: a BMC agent runs in a Pod, which the manager makes',
    );
  }
  return serviceAccountConfig({ host, port, ...(directory === undefined ? {} : { directory }) });
}

/** The sandbox's kubelet holds the other end of standard input; it ends with the sandbox, however that dies. */
function exitWithParent(): void {
  process.stdin.on('close', () => {
    process.exit(0);
  });
  process.stdin.resume();
  // Else it would keep a process that has finished.
  process.stdin.unref();
}

function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  return controller.signal;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve, { once: true });
  });
}
