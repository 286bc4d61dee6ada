import { Command, Option } from 'commander';
import { LOG_FORMATS, LOG_LEVELS } from '../logger.ts';
import { collect, duration, wholeNumber } from '../parse.ts';
import type { Dependencies } from '../program.ts';
import type { OriginOption, SandboxOptions } from './options.ts';

/** `groundcrew sandbox`: runs Groundcrew on one machine with an embedded cluster. */
export function sandboxCommand(dependencies: Dependencies): Command {
  return new Command('sandbox')
    .description(
      'Run a whole cluster on this machine: an embedded API server, simulated KubeVirt virtual machines, ' +
        'and the real manager and agents. Nothing is installed, and Ctrl-C leaves nothing behind but what --data-dir keeps.',
    )
    .addOption(numberOption('--vms <number>', 'number of virtual machines, each with a BMC', 0, 100, 2))
    .addOption(
      numberOption(
        '--ipmi-port <port>',
        'UDP port on 127.0.0.1 of the first BMC, and TCP port of its Redfish',
        1024,
        65_000,
        6230,
      ),
    )
    .addOption(
      numberOption('--api-port <port>', 'TCP port on 127.0.0.1 of the API server; 0 selects a free port', 0, 65_535, 0),
    )
    .addOption(
      new Option(
        '-f, --filename <file>',
        'YAML or JSON manifests to create: a file, a folder, or - for standard input; may be given several times; ' +
          'those that an earlier start created are not changed',
      )
        .argParser(collect)
        .default([], 'none'),
    )
    .addOption(
      new Option('--boot-time <duration>', 'time that a simulated VM takes from power on to running')
        .argParser(duration)
        .default(1000, '1s'),
    )
    .option(
      '--data-dir <folder>',
      'keep the sandbox in this folder; the next start with it restores the sandbox, also after kill -9 ' +
        '(default: nothing is kept)',
    )
    .option(
      '--kubeconfig <file>',
      'write the kubeconfig here (default: a file that is kept or removed with the sandbox)',
    )
    .option('--ready-file <file>', 'when the sandbox is ready, write all endpoints to this file as JSON, for scripts')
    .addOption(new Option('--log-level <level>', 'least severe log to show').choices(LOG_LEVELS).default('warn'))
    .addOption(
      new Option('--log-format <format>', 'format of the log on standard error').choices(LOG_FORMATS).default('text'),
    )
    .addHelpText('after', EXAMPLES)
    .action(async (options: SandboxOptions, command: Command) => {
      const { runSandbox } = await import('./run.ts');
      const isGiven = (option: OriginOption): boolean => command.getOptionValueSource(option) === 'cli';
      process.exitCode = await runSandbox(options, isGiven, dependencies);
    });
}

function numberOption(flags: string, text: string, least: number, most: number, standard: number): Option {
  return new Option(flags, text).argParser(wholeNumber(least, most)).default(standard);
}

const EXAMPLES = `
Examples:
  groundcrew sandbox                               two VMs, their BMCs on UDP ports 6230 and 6231
  groundcrew sandbox --vms 5 --boot-time 10s       five VMs that take ten seconds to boot
  groundcrew sandbox --vms 0 -f my-vms.yaml        your own manifests alone
  groundcrew sandbox --data-dir ./lab              a sandbox that is there again tomorrow, as you left it
  groundcrew sandbox --ready-file ready.json &     for scripts: the file appears when all is up
`;
