import { Command, Option } from 'commander';
import { createLogger, LOG_FORMATS, LOG_LEVELS } from './logger.ts';
import { collect, trueOrFalse } from './parse.ts';
import type { Dependencies } from './program.ts';

interface ManagerFlags {
  agentImage: string;
  agentDefaults?: string;
  dhcpAgentDefaults?: string;
  dhcpAgentArg?: string[];
  assignMacs: boolean;
  admissionAddress: string;
  admissionService?: string;
  admissionUrl?: string;
  admissionOwner?: string;
  clusterRange?: string[];
  clusterDomain?: string;
  defaultIpmi: boolean;
  defaultRedfishHttp: boolean;
  bmcMetrics: boolean;
  namespace: string;
  watchNamespace?: string[];
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
    .option('--agent-defaults <json>', "settings of agents whose BMC has none, as a VirtualMachineBMC's spec.agent")
    .addOption(
      new Option('--default-ipmi <boolean>', 'whether a BMC that does not say answers IPMI')
        .argParser(trueOrFalse)
        .default(true),
    )
    .addOption(
      new Option(
        '--default-redfish-http <boolean>',
        'whether a BMC that does not say answers Redfish over plain HTTP, too',
      )
        .argParser(trueOrFalse)
        .default(false),
    )
    .option('--bmc-metrics', 'let agents of BMCs ask metrics.k8s.io what the virtual machines use', false)
    .option('--dhcp-agent-defaults <json>', "settings of DHCP agents whose pool has none, as an IPPool's spec.agent")
    .option('--dhcp-agent-arg <argument>', 'a further argument of all DHCP agents; may be given several times', collect)
    .addOption(
      new Option('--assign-macs <boolean>', "give interfaces on a pool's network a MAC address where the VM names none")
        .argParser(trueOrFalse)
        .default(true),
    )
    .option('--admission-address <address>', "where the admission server answers API servers; '' for nowhere", '')
    .option('--admission-service <name>', "Service of the manager's namespace by which API servers reach it")
    .option('--admission-url <url>', 'URL by which they reach it, in place of a Service (default: the address)')
    .option('--admission-owner <name>', 'ClusterRole that the webhook configurations go with')
    .option(
      '--cluster-range <cidr>',
      'addresses that the cluster uses itself, of which a pool is warned; may be given several times',
      collect,
    )
    .option(
      '--cluster-domain <domain>',
      "DNS domain of the cluster's Services (default: that of /etc/resolv.conf, or cluster.local)",
    )
    .requiredOption('--namespace <name>', "the manager's own namespace, where its Lease is")
    .option(
      '--watch-namespace <name>',
      'work in this namespace alone; may be given several times (default: all)',
      collect,
    )
    .option('--leader-elect', 'let one of several managers lead', false)
    .option('--kubeconfig <file>', 'cluster to work on (default: the one that this pod runs in)')
    .option('--health-address <address>', 'where /healthz and /readyz answer', ':8081')
    .option('--metrics-address <address>', 'where /metrics answers', ':8080')
    .addOption(new Option('--log-level <level>', 'least severe log to show').choices(LOG_LEVELS).default('info'))
    .addOption(new Option('--log-format <format>', 'form of the log').choices(LOG_FORMATS).default('json'))
    .action(async ({ watchNamespace, dhcpAgentArg, clusterRange, ...flags }: ManagerFlags) => {
      const { runManager } = await import('../manager/main.ts');
      const logger = await createLogger({ level: flags.logLevel, format: flags.logFormat, descriptor: 1 });
      process.exitCode = await runManager({
        ...flags,
        watchNamespaces: watchNamespace,
        dhcpAgentArgs: dhcpAgentArg,
        clusterRanges: clusterRange,
        logger,
        env: dependencies.env,
      });
    });
}
