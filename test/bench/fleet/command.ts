import { writeFileSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { duration, wholeNumber } from '../../../cli/parse.ts';
import { machineFacts } from '../facts.ts';
import { ProgressLine, type Output } from './progress-line.ts';
import { htmlReport } from './report/html.ts';
import { textReport } from './report/text.ts';
import { isClean, type FleetOptions } from './results.ts';
import { runFleet } from './run-fleet.ts';

interface Streams {
  stdout: Output;
  stderr: Output;
}

interface Flags extends FleetOptions {
  report?: string;
}

const HELP = `
Half of the VMs are powered on by IPMI and half by Redfish, all at once, after PXE was set as the boot device of each. Each takes a
DHCP lease in a simulated network when it boots. Of the VMs of --cycled, every second has the run strategy Once, so that its agent
must stop and start it. Up to five of each half are driven by the real ipmitool and curl. Agents and
manager run as processes with the options of the image; KubeVirt, the node and the networks are simulated.

Exit code: 0; 1 if there is an error, or if a VM is lost or was started twice; 2 for wrong options.`;

/**
 * `npm run bench -- fleet …`
 *
 * @param args after the name of the command
 * @param streams for the results, and for progress and messages
 * @returns the exit code
 */
export async function fleetCommand(args: readonly string[], streams: Streams = process): Promise<number> {
  const { stdout, stderr } = streams;
  let code = 0;
  const command = new Command('npm run bench -- fleet')
    .description('Make a fleet of VMs with BMCs, power all on at once as a provisioning storm does, and measure it.')
    .addOption(new Option('--vms <count>', 'size of the fleet').argParser(wholeNumber(1, 10_000)).default(1000))
    .addOption(
      new Option('--server <server>', 'API server; kubernetes: the real one with etcd (needs npm run tools)')
        .choices(['embedded', 'kubernetes'])
        .default('embedded'),
    )
    .addOption(
      new Option('--placement <placement>', 'whether BMCs share agents')
        .choices(['Shared', 'Dedicated'])
        .default('Shared'),
    )
    .addOption(
      new Option(
        '--boot-time <duration>',
        'time that a simulated VM takes until it runs, and again until its system is up',
      )
        .argParser(duration)
        .default(1000, '1s'),
    )
    .addOption(
      new Option('--cycled <count>', 'VMs that are on before the storm, and whose power is cycled in it')
        .argParser(wholeNumber(0, 10_000))
        .default(0),
    )
    .option('--kill-agent', 'kill an agent that acts (SIGKILL) when a quarter of the VMs have been powered on', false)
    .option('--logs <folder>', 'keep the logs of all processes in a new folder')
    .option('--report <file>', 'write an HTML report with charts')
    .addHelpText('after', HELP)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
    })
    .action(async ({ report, ...options }: Flags) => {
      if (options.cycled > options.vms) throw new InvalidArgumentError('--cycled: there are not so many VMs');
      // Before the run: it takes minutes.
      if (report !== undefined) await requireWritable(report);
      const result = await runFleet(options, new ProgressLine(stderr));
      stdout.write(`${textReport(result)}\n`);
      if (report !== undefined) writeFileSync(report, htmlReport(result, machineFacts(), new Date()));
      code = isClean(result) ? 0 : 1;
    });
  try {
    await command.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Of its own errors Commander has printed the message, or the help.
    if (error instanceof InvalidArgumentError) stderr.write(`error: ${error.message}\n`);
    return error.exitCode === 0 ? 0 : 2;
  }
  return code;
}

async function requireWritable(file: string): Promise<void> {
  try {
    await access(dirname(resolve(file)), constants.W_OK);
  } catch {
    throw new InvalidArgumentError(`--report: the folder of ${file} does not exist or is not writable`);
  }
}
