import { Command, Option } from 'commander';
import { LOG_LEVELS, createLogger } from './logger.ts';
import { trueOrFalse, wholeNumber } from './parse.ts';
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

/** `groundcrew agent …`: the data plane; the manager writes these command lines. */
export function agentCommand(surroundings: Surroundings): Command {
  return new Command('agent')
    .description('Run an agent; the manager starts them, people rarely do.')
    .addCommand(bmcCommand(surroundings));
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

function portOption(flags: string, text: string, standard: number): Option {
  return new Option(flags, text).argParser(wholeNumber(1, 65_535)).default(standard);
}
