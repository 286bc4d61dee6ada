import { Command, Option } from 'commander';
import { LOG_LEVELS, createLogger } from './logger.ts';
import { collect, trueOrFalse, wholeNumber } from './parse.ts';
import type { Surroundings } from './program.ts';
import { version } from './version.ts';

interface BmcAgentFlags {
  namespace: string;
  bmc: string;
  podName: string;
  bindAddress: string;
  ipmiPort: number;
  healthPort: number;
  defaultIpmi: boolean;
  logLevel: string;
}

interface DhcpAgentFlags {
  network: string;
  serverIndex: number;
  poolNamespace: string[];
  podName: string;
  bindAddress: string;
  healthPort: number;
  snapshotDir: string;
  loopbackPort?: number;
  logLevel: string;
}

/** `groundcrew agent …`: the data plane; the manager writes these command lines. */
export function agentCommand(surroundings: Surroundings): Command {
  return new Command('agent')
    .description('Run an agent; the manager starts them, people rarely do.')
    .addCommand(bmcCommand(surroundings))
    .addCommand(dhcpCommand(surroundings));
}

function bmcCommand(surroundings: Surroundings): Command {
  return new Command('bmc')
    .description('Serve the BMC of a virtual machine: IPMI in, KubeVirt API calls out.')
    .requiredOption('--namespace <name>', 'namespace of the VirtualMachineBMC')
    .requiredOption('--bmc <name>', 'name of the VirtualMachineBMC to serve')
    .requiredOption(
      '--pod-name <name>',
      'name of the pod that this runs in: it acts unasked only while the BMC names it',
    )
    .option('--bind-address <addresses>', 'IP addresses to listen on, separated by commas', '0.0.0.0')
    .addOption(portOption('--ipmi-port <port>', 'UDP port of IPMI', 10_623))
    .addOption(portOption('--health-port <port>', 'TCP port of /healthz and /readyz', 10_080))
    .addOption(
      new Option('--default-ipmi <boolean>', 'whether a BMC that does not say answers IPMI')
        .argParser(trueOrFalse)
        .default(true),
    )
    .addOption(new Option('--log-level <level>', 'least severe log to show').choices(LOG_LEVELS).default('info'))
    .action(async (flags: BmcAgentFlags) => {
      const { runBmcAgent } = await import('../agent/bmc/main.ts');
      const logger = await createLogger({ level: flags.logLevel, format: 'json', descriptor: 1 });
      process.exitCode = await runBmcAgent({
        ...flags,
        bindAddresses: flags.bindAddress.split(','),
        version: version(),
        logger,
        env: surroundings.env,
      });
    });
}

function dhcpCommand(surroundings: Surroundings): Command {
  return new Command('dhcp')
    .description('Serve DHCP on a network of virtual machines: the addresses that the control plane chose.')
    .requiredOption('--network <namespace/name>', 'net-attach-def whose IPPools to serve')
    .addOption(
      new Option(
        '--server-index <number>',
        "which of a pool's server addresses is this agent's: its place in serverIPs",
      )
        .argParser(wholeNumber(0, 7))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--pool-namespace <name>', 'namespace that has IPPools of the network; can be given several times')
        .argParser(collect)
        .makeOptionMandatory(),
    )
    .requiredOption('--pod-name <name>', 'name of the pod that this runs in')
    .option('--bind-address <addresses>', "the pod's IP addresses, separated by commas", '0.0.0.0')
    .addOption(portOption('--health-port <port>', 'TCP port of /healthz, /readyz and /metrics', 10_080))
    .requiredOption('--snapshot-dir <folder>', 'where to keep leases for a start while the Kubernetes API is away')
    .addOption(
      new Option(
        '--loopback-port <port>',
        'serve on this UDP port of the bind address, and answer to where requests come from: for simulated networks',
      ).argParser(wholeNumber(1, 65_535)),
    )
    .addOption(new Option('--log-level <level>', 'least severe log to show').choices(LOG_LEVELS).default('info'))
    .action(async (flags: DhcpAgentFlags) => {
      const { runDhcpAgent } = await import('../agent/dhcp/main.ts');
      const logger = await createLogger({ level: flags.logLevel, format: 'json', descriptor: 1 });
      process.exitCode = await runDhcpAgent({
        ...flags,
        poolNamespaces: flags.poolNamespace,
        snapshotDirectory: flags.snapshotDir,
        bindAddresses: flags.bindAddress.split(','),
        logger,
        env: surroundings.env,
      });
    });
}

function portOption(flags: string, text: string, standard: number): Option {
  return new Option(flags, text).argParser(wholeNumber(1, 65_535)).default(standard);
}
