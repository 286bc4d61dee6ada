import { Command, Option } from 'commander';
import { createLogger, LOG_FORMATS, LOG_LEVELS } from './logger.ts';
import { collect, trueOrFalse } from './parse.ts';
import type { Surroundings } from './program.ts';

interface ManagerFlags {
  agentImage: string;
  agentDefaults?: string;
  defaultIpmi: boolean;
  namespace: string;
  watchNamespace?: string[];
  leaderElect: boolean;
  kubeconfig?: string;
  healthAddress: string;
  metricsAddress: string;
  logLevel: string;
  logFormat: string;
}

/** `groundcrew manager`: the control plane. */
export function managerCommand(surroundings: Surroundings): Command {
  return new Command('manager')
    .description('Run the control plane: reconcile VirtualMachineBMC resources into agents.')
    .requiredOption('--agent-image <image>', 'container image of the agents')
    .option('--agent-defaults <json>', "settings of agents whose BMC has none, as a VirtualMachineBMC's spec.agent")
    .addOption(
      new Option('--default-ipmi <boolean>', 'whether a BMC that does not say answers IPMI')
        .argParser(trueOrFalse)
        .default(true),
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
    .action(async ({ watchNamespace, ...flags }: ManagerFlags) => {
      const { runManager } = await import('../manager/main.ts');
      const logger = await createLogger({ level: flags.logLevel, format: flags.logFormat, descriptor: 1 });
      process.exitCode = await runManager({
        ...flags,
        watchNamespaces: watchNamespace,
        logger,
        env: surroundings.env,
      });
    });
}
