import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { BMC_DEFAULTS } from '../api/index.ts';
import {
  KubeClient,
  serviceAccountConfig,
  systemClock,
  type Logger,
  type Transport,
} from '@groundcrew/controller-runtime';
import { Metrics } from '@groundcrew/controller-runtime/metrics';
import { undiciTransport } from '@groundcrew/controller-runtime/transport-undici';
import { AddressError, parseAddress } from './address.ts';
import { parseAgentDefaults } from './agent-defaults.ts';
import { clusterDomainOf } from './cluster-domain.ts';
import { clusterRangesOf } from './cluster-ranges.ts';
import { createManager, FIELD_MANAGER, type ManagerOptions } from './manager.ts';

/** The manager as a process: what the command line and the environment say. */
export interface RunManagerOptions extends Pick<ManagerOptions, 'agentImage' | 'namespace'> {
  /** What the installation sets for all agents: a JSON object with the fields of `spec.agent`. */
  agentDefaults?: string | undefined;
  /** The same for DHCP agents, with the fields of an IPPool's `spec.agent`. */
  dhcpAgentDefaults?: string | undefined;
  /** Further arguments of all DHCP agents. */
  dhcpAgentArgs?: readonly string[] | undefined;
  /** Give interfaces on a pool's network a MAC address where their VM names none. */
  assignMacs: boolean;
  /** `host:port`; '' or '0': there is no admission server. */
  admissionAddress: string;
  /** Service of the manager's namespace by which API servers reach it. */
  admissionService?: string | undefined;
  /** URL by which they reach it, in place of a Service; neither: the address. */
  admissionUrl?: string | undefined;
  /** ClusterRole that the webhook configurations go with. */
  admissionOwner?: string | undefined;
  /** Addresses that the cluster uses itself, as CIDRs. */
  clusterRanges?: readonly string[] | undefined;
  /** DNS domain of the cluster's Services. Default: that of /etc/resolv.conf, or `cluster.local`. */
  clusterDomain?: string | undefined;
  /** Whether a BMC that does not say answers IPMI. Default true. */
  defaultIpmi?: boolean | undefined;
  /** Whether a BMC that does not say answers Redfish over plain HTTP, too. Default false. */
  defaultRedfishHttp?: boolean | undefined;
  /** Let agents of BMCs ask metrics.k8s.io what the virtual machines use. Default false. */
  bmcMetrics?: boolean | undefined;
  watchNamespaces?: readonly string[] | undefined;
  /** Let one of several managers lead. */
  leaderElect: boolean;
  /** Path; absent: the cluster that this pod runs in. */
  kubeconfig?: string | undefined;
  /** `host:port`, `[host]:port` or `:port` for all interfaces; '' or '0': nowhere. */
  healthAddress: string;
  metricsAddress: string;
  logger: Logger;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs the manager until SIGTERM or SIGINT.
 *
 * @returns the process's exit code: 0 after a signal, 1 where it could not start or had to stop
 */
export async function runManager(options: RunManagerOptions): Promise<number> {
  const { logger } = options;
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    logger.info({ signal }, 'stopping');
    stop.abort();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, onSignal);
  try {
    await run(options, stop.signal);
    return 0;
  } catch (error) {
    logger.error({ err: error }, error instanceof Error ? error.message : 'the manager had to stop');
    return 1;
  } finally {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, onSignal);
  }
}

async function run(options: RunManagerOptions, signal: AbortSignal): Promise<void> {
  const { logger, namespace, agentImage, watchNamespaces } = options;
  const agentDefaults = parseAgentDefaults(options.agentDefaults ?? '{}');
  const clusterDomain = clusterDomainOf(options.clusterDomain, await textOf('/etc/resolv.conf'));
  const healthAddress = parseAddress(options.healthAddress);
  const metricsAddress = parseAddress(options.metricsAddress);
  const metrics = new Metrics();
  const { transport, host } = await connect(options);
  const client = new KubeClient({ transport, fieldManager: FIELD_MANAGER, onResponse: metrics.clientObserver(host) });
  try {
    const manager = createManager({
      client,
      clock: systemClock,
      random: randomBytes,
      logger,
      metrics,
      agentImage,
      namespace,
      agentDefaults,
      bmcDefaults: {
        ipmi: options.defaultIpmi ?? BMC_DEFAULTS.ipmi,
        redfishHttp: options.defaultRedfishHttp ?? BMC_DEFAULTS.redfishHttp,
      },
      clusterDomain,
      bmcMetrics: options.bmcMetrics ?? false,
      dhcp: {
        agentDefaults: parseAgentDefaults(options.dhcpAgentDefaults ?? '{}'),
        agentArgs: options.dhcpAgentArgs ?? [],
        assignMACs: options.assignMacs,
      },
      ...admissionSettings(options),
      ...(watchNamespaces === undefined ? {} : { watchNamespaces }),
      ...(options.leaderElect ? { leaderElection: { identity: identity() } } : {}),
      ...(healthAddress === undefined ? {} : { healthAddress }),
      ...(metricsAddress === undefined ? {} : { metricsAddress }),
    });
    await manager.run(signal);
  } finally {
    await client.close();
  }
}

/** Undefined where it cannot be read. */
async function textOf(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch(() => undefined);
}

function admissionSettings(options: RunManagerOptions): Pick<ManagerOptions, 'admission'> {
  const { admissionService, admissionUrl, admissionOwner } = options;
  const address = parseAddress(options.admissionAddress);
  if (address === undefined) return {};
  const byUrl = admissionUrl === undefined ? {} : { url: admissionUrl };
  const reachedBy = admissionService === undefined ? byUrl : { service: admissionService };
  return { admission: { address, reachedBy, clusterRanges: clusterRangesOf(options), owner: admissionOwner } };
}

/** The pod's name, which is its host name, and something that a container started again in it has not. */
function identity(): string {
  return `${hostname()}_${randomBytes(4).toString('hex')}`;
}

async function connect({ kubeconfig, env }: RunManagerOptions): Promise<{ transport: Transport; host: string }> {
  if (kubeconfig !== undefined) {
    const { kubeconfigTransport } = await import('@groundcrew/controller-runtime/kubeconfig');
    return { transport: await kubeconfigTransport(kubeconfig), host: 'kubeconfig' };
  }
  const {
    KUBERNETES_SERVICE_HOST: host,
    KUBERNETES_SERVICE_PORT: port,
    GROUNDCREW_SERVICEACCOUNT_DIR: directory,
  } = env;
  if (host === undefined || port === undefined)
    throw new AddressError(
      'KUBERNETES_SERVICE_HOST is not set: this is no pod of a cluster. Name one with --kubeconfig.',
    );
  const config = serviceAccountConfig({ host, port, ...(directory === undefined ? {} : { directory }) });
  return { transport: undiciTransport(config), host: config.server };
}
