import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { BMC_DEFAULTS, type BMCDefaults, type Placement } from '../api/index.ts';
import {
  KubeClient,
  serviceAccountConfig,
  systemClock,
  type Logger,
  type Transport,
} from '@groundcrew/controller-runtime';
import { Metrics } from '@groundcrew/controller-runtime/metrics';
import { undiciTransport } from '@groundcrew/controller-runtime/transport-undici';
import {
  AddressError,
  parseAddress,
  clusterDomainOf,
  clusterRangesOf,
  dnsSuffixesOf,
  ntpRangesOf,
} from './flag-values.ts';
import { maxUnavailableOf } from './rollout/index.ts';
import { parseAgentDefaults } from './agent-workload/settings.ts';
import { createManager, FIELD_MANAGER, type ManagerOptions } from './manager.ts';

/** Options of the manager process, from the command line and the environment. */
export interface RunManagerOptions extends Pick<ManagerOptions, 'agentImage' | 'namespace'> {
  /** Images that `spec.agent.image` of BMCs and pools may name. */
  allowedAgentImages?: readonly string[] | undefined;
  /** Defaults for all BMC agents: a JSON object with the fields of `spec.agent`. */
  agentDefaults?: string | undefined;
  /** Defaults for all DHCP agents: a JSON object with the fields of an IPPool's `spec.agent`. */
  dhcpAgentDefaults?: string | undefined;
  /** Extra arguments for all DHCP agents. */
  dhcpAgentArgs?: readonly string[] | undefined;
  /** Assign MAC addresses to interfaces on a pool's network that have none. */
  assignMacs: boolean;
  /** Let pools serve networks of other namespaces that do not allow it. */
  crossNamespacePools?: boolean | undefined;
  /** Addresses that the VMs of one namespace may have; 0: no limit. */
  addressesPerNamespace?: number | undefined;
  /** Private addresses that NTP servers may have if pools name them, as CIDRs. */
  allowedNtpRanges?: readonly string[] | undefined;
  /** `host:port`; '' or '0' disables the admission server. */
  admissionAddress: string;
  /** Service in the manager's namespace by which API servers reach the admission server. */
  admissionService?: string | undefined;
  /** URL for API servers, instead of a Service. Without either, the listening address is used. */
  admissionUrl?: string | undefined;
  /** ClusterRole that owns the webhook configurations. */
  admissionOwner?: string | undefined;
  /** Addresses that the cluster itself uses, as CIDRs. */
  clusterRanges?: readonly string[] | undefined;
  /** DNS domain of the cluster's Services. Default: that of /etc/resolv.conf, or `cluster.local`. */
  clusterDomain?: string | undefined;
  /** Domains whose names BMCs may have in their certificates. */
  allowedDNSSuffixes?: readonly string[] | undefined;
  /** Default of IPMI for BMCs. Default true. */
  defaultIpmi?: boolean | undefined;
  /** Default of Redfish over plain HTTP for BMCs, in addition to HTTPS. Default false. */
  defaultRedfishHttp?: boolean | undefined;
  /** Default of the web console of BMCs. Default true. */
  defaultWebConsole?: boolean | undefined;
  /** Allow BMC agents to read the usage of their virtual machines from metrics.k8s.io. Default false. */
  bmcMetrics?: boolean | undefined;
  /** Give each virtual machine a BMC, unless its annotation says otherwise. Default false. */
  autoProvisionBmcs?: boolean | undefined;
  /** Placement of BMCs if neither they nor their namespaces say. Default `Dedicated`. */
  bmcPlacement?: Placement | undefined;
  /** Most BMCs of one shared agent. Default 250. */
  sharedAgentCapacity?: number | undefined;
  /** Resources of shared agents, as JSON. */
  sharedAgentResources?: string | undefined;
  /** Agents that are updated at once: `3`, or `20%`. */
  maxUnavailable?: string | undefined;
  /** Seconds. */
  progressDeadline?: number | undefined;
  minReady?: number | undefined;
  watchNamespaces?: readonly string[] | undefined;
  /** ClusterRole with the manager's permissions, and its service account; both only with `watchNamespaces`. */
  finalizerRole?: string | undefined;
  serviceAccount?: string | undefined;
  /** Use leader election between several managers. */
  leaderElect: boolean;
  /** Path; absent: use the cluster of this pod. */
  kubeconfig?: string | undefined;
  /** `host:port`, `[host]:port`, or `:port` for all interfaces; '' or '0' disables the listener. */
  healthAddress: string;
  metricsAddress: string;
  /** Version of groundcrew: `1.2.3`. */
  version?: string | undefined;
  logger: Logger;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs the manager until SIGTERM or SIGINT.
 *
 * @returns the exit code: 0 after a signal, 1 if it could not start or had to stop
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

function bmcDefaultsOf(options: RunManagerOptions): BMCDefaults {
  return {
    ipmi: options.defaultIpmi ?? BMC_DEFAULTS.ipmi,
    redfishHttp: options.defaultRedfishHttp ?? BMC_DEFAULTS.redfishHttp,
    webConsole: options.defaultWebConsole ?? BMC_DEFAULTS.webConsole,
  };
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
      allowedAgentImages: options.allowedAgentImages ?? [],
      namespace,
      agentDefaults,
      bmcDefaults: bmcDefaultsOf(options),
      clusterDomain,
      allowedDNSSuffixes: dnsSuffixesOf(options.allowedDNSSuffixes),
      bmcMetrics: options.bmcMetrics ?? false,
      autoProvisionBmcs: options.autoProvisionBmcs,
      sharing: sharingOf(options),
      dhcp: {
        agentDefaults: parseAgentDefaults(options.dhcpAgentDefaults ?? '{}'),
        agentArgs: options.dhcpAgentArgs ?? [],
        assignMACs: options.assignMacs,
        crossNamespacePools: options.crossNamespacePools ?? false,
        addressesPerNamespace: options.addressesPerNamespace ?? 0,
        allowedNtpRanges: ntpRangesOf(options.allowedNtpRanges),
      },
      rollout: {
        ...(options.maxUnavailable === undefined ? {} : { maxUnavailable: maxUnavailableOf(options.maxUnavailable) }),
        ...(options.progressDeadline === undefined ? {} : { progressDeadlineSeconds: options.progressDeadline }),
        ...(options.minReady === undefined ? {} : { minReadySeconds: options.minReady }),
      },
      ...admissionSettings(options),
      ...(watchNamespaces === undefined ? {} : { watchNamespaces }),
      ...(options.finalizerRole === undefined || options.serviceAccount === undefined
        ? {}
        : { finalizing: { role: options.finalizerRole, account: options.serviceAccount } }),
      ...(options.leaderElect ? { leaderElection: { identity: identity() } } : {}),
      ...(options.version === undefined ? {} : { version: options.version }),
      ...(healthAddress === undefined ? {} : { healthAddress }),
      ...(metricsAddress === undefined ? {} : { metricsAddress }),
    });
    await manager.run(signal);
  } finally {
    await client.close();
  }
}

function sharingOf({ bmcPlacement, sharedAgentCapacity, sharedAgentResources }: RunManagerOptions) {
  return {
    ...(bmcPlacement === undefined ? {} : { placement: bmcPlacement }),
    ...(sharedAgentCapacity === undefined ? {} : { capacity: sharedAgentCapacity }),
    ...(sharedAgentResources === undefined
      ? {}
      : { resources: parseAgentDefaults(`{"resources":${sharedAgentResources}}`).resources ?? {} }),
  };
}

/** The text of a file; undefined if it cannot be read. */
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

/** The host name (the pod's name) with a random suffix that differs after a container restart. */
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
