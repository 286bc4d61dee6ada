import { Command, Option } from 'commander';
import { MOST_SHARED_BMCS, PLACEMENTS, SHARED_AGENT_CAPACITY, type Placement } from '../api/index.ts';
import { giveBackMemory } from './give-back-memory.ts';
import { createLogger, LOG_FORMATS, LOG_LEVELS } from './logger.ts';
import { collect, trueOrFalse, wholeNumber } from './parse.ts';
import type { Dependencies } from './program.ts';
import { version } from './version.ts';

interface ManagerFlags {
  agentImage: string;
  allowedAgentImage?: string[];
  agentDefaults?: string;
  dhcpAgentDefaults?: string;
  dhcpAgentArg?: string[];
  assignMacs: boolean;
  crossNamespacePools: boolean;
  addressesPerNamespace: number;
  admissionAddress: string;
  admissionService?: string;
  admissionUrl?: string;
  admissionOwner?: string;
  clusterRange?: string[];
  clusterDomain?: string;
  allowedDnsSuffix?: string[];
  allowedNtpRange?: string[];
  defaultIpmi: boolean;
  defaultRedfishHttp: boolean;
  defaultWebConsole: boolean;
  bmcMetrics: boolean;
  autoProvisionBmcs: boolean;
  bmcPlacement: Placement;
  sharedAgentCapacity: number;
  sharedAgentResources?: string;
  maxUnavailable?: string;
  progressDeadline?: number;
  minReady?: number;
  namespace: string;
  watchNamespace?: string[];
  finalizerRole?: string;
  serviceAccount?: string;
  leaderElect: boolean;
  kubeconfig?: string;
  healthAddress: string;
  metricsAddress: string;
  logLevel: string;
  logFormat: string;
}

/** `groundcrew manager`: runs the control plane. */
export function managerCommand(dependencies: Dependencies): Command {
  return new Command('manager')
    .description(
      'Run the control plane: reconcile VirtualMachineBMCs and IPPools into agents, and VirtualMachines into leases.',
    )
    .requiredOption('--agent-image <image>', 'container image of the agents')
    .option(
      '--allowed-agent-image <image>',
      'image that spec.agent of a BMC or pool may name, with * at its end for all that begin so; may be given several times',
      collect,
    )
    .option(
      '--agent-defaults <json>',
      "default settings of BMC agents, with the fields of a VirtualMachineBMC's spec.agent",
    )
    .addOption(
      new Option('--default-ipmi <boolean>', 'whether a BMC answers IPMI if its spec does not say')
        .argParser(trueOrFalse)
        .default(true),
    )
    .addOption(
      new Option(
        '--default-redfish-http <boolean>',
        'whether a BMC also answers Redfish over plain HTTP if its spec does not say',
      )
        .argParser(trueOrFalse)
        .default(false),
    )
    .addOption(
      new Option('--default-web-console <boolean>', 'whether a BMC serves its web console if its spec does not say')
        .argParser(trueOrFalse)
        .default(true),
    )
    .option('--bmc-metrics', 'let BMC agents read the usage of virtual machines from metrics.k8s.io', false)
    .option(
      '--auto-provision-bmcs',
      'give each virtual machine a BMC, unless its annotation bmc.kubevirt.io/enabled is "false"',
      false,
    )
    .addOption(
      new Option(
        '--bmc-placement <placement>',
        'where BMCs are served if neither their spec nor the annotation bmc.kubevirt.io/placement of their namespace says',
      )
        .choices(PLACEMENTS)
        .default('Dedicated'),
    )
    .addOption(
      new Option('--shared-agent-capacity <count>', 'most BMCs of one shared agent')
        .argParser(wholeNumber(1, MOST_SHARED_BMCS))
        .default(SHARED_AGENT_CAPACITY),
    )
    .option('--shared-agent-resources <json>', 'resources of the pods of shared agents')
    .option(
      '--dhcp-agent-defaults <json>',
      "default settings of DHCP agents, with the fields of an IPPool's spec.agent",
    )
    .option('--dhcp-agent-arg <argument>', 'extra argument for all DHCP agents; may be given several times', collect)
    .addOption(
      new Option('--assign-macs <boolean>', "assign MAC addresses to interfaces on a pool's network that have none")
        .argParser(trueOrFalse)
        .default(true),
    )
    .addOption(
      new Option('--addresses-per-namespace <count>', 'most addresses of the VMs of one namespace; 0: no limit')
        .argParser(wholeNumber(0, 1_000_000))
        .default(0),
    )
    .option('--cross-namespace-pools', 'let IPPools serve networks of other namespaces that do not allow it', false)
    .option('--admission-address <address>', "address of the admission server; '' disables it", '')
    .option('--admission-service <name>', "Service in the manager's namespace by which API servers reach it")
    .option('--admission-url <url>', 'URL by which API servers reach it instead of a Service (default: its address)')
    .option('--admission-owner <name>', 'ClusterRole that owns the webhook configurations, which are deleted with it')
    .option(
      '--cluster-range <cidr>',
      'addresses that the cluster itself uses; pools that include them cause a warning; may be given several times',
      collect,
    )
    .option(
      '--cluster-domain <domain>',
      "DNS domain of the cluster's Services (default: that of /etc/resolv.conf, or cluster.local)",
    )
    .option(
      '--allowed-dns-suffix <domain>',
      'domain whose names BMCs may have in their certificates; may be given several times (default: none)',
      collect,
    )
    .option(
      '--allowed-ntp-range <cidr>',
      'private addresses that NTP servers may have if pools name them; may be given several times (default: none)',
      collect,
    )
    .option('--max-unavailable <agents>', 'agents that are updated at once after the canary: 3, or 20% (default: 20%)')
    .addOption(
      new Option(
        '--progress-deadline <seconds>',
        'time within which an updated agent must be ready (default: 300)',
      ).argParser(wholeNumber(1, 86_400)),
    )
    .addOption(
      new Option(
        '--min-ready <seconds>',
        'time for which an updated agent must have been ready before others are updated (default: 10)',
      ).argParser(wholeNumber(0, 3600)),
    )
    .requiredOption('--namespace <name>', "the manager's own namespace, where its Lease is")
    .option(
      '--watch-namespace <name>',
      'work only in this namespace; may be given several times (default: all)',
      collect,
    )
    .option(
      '--finalizer-role <name>',
      'ClusterRole to bind in watched namespaces until the objects there have no finalizers',
    )
    .option('--service-account <name>', "the manager's own service account, for that binding")
    .option('--leader-elect', 'elect a leader among several managers', false)
    .option('--kubeconfig <file>', 'kubeconfig of the cluster (default: the cluster of this pod)')
    .option('--health-address <address>', 'address of /healthz and /readyz', ':8081')
    .option('--metrics-address <address>', 'address of /metrics', ':8080')
    .addOption(new Option('--log-level <level>', 'least severe log to show').choices(LOG_LEVELS).default('info'))
    .addOption(new Option('--log-format <format>', 'format of the log').choices(LOG_FORMATS).default('json'))
    .action(
      async ({
        watchNamespace,
        allowedAgentImage,
        dhcpAgentArg,
        clusterRange,
        allowedDnsSuffix,
        allowedNtpRange,
        ...flags
      }: ManagerFlags) => {
        giveBackMemory();
        const { runManager } = await import('../manager/main.ts');
        const logger = await createLogger({ level: flags.logLevel, format: flags.logFormat, descriptor: 1 });
        process.exitCode = await runManager({
          ...flags,
          watchNamespaces: watchNamespace,
          allowedAgentImages: allowedAgentImage,
          dhcpAgentArgs: dhcpAgentArg,
          clusterRanges: clusterRange,
          allowedDNSSuffixes: allowedDnsSuffix,
          allowedNtpRanges: allowedNtpRange,
          version: version(),
          logger,
          env: dependencies.env,
        });
      },
    );
}
