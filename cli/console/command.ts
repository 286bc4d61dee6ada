import { Command, Option } from 'commander';
import { duration } from '../parse.ts';
import type { Dependencies } from '../program.ts';

export interface ConsoleFlags {
  namespace?: string;
  kubeconfig?: string;
  context?: string;
  timeout: number;
}

/** `groundcrew console`: opens the serial console of a VM, without virtctl. */
export function consoleCommand(dependencies: Dependencies): Command {
  return new Command('console')
    .description("Open a virtual machine's serial console, as virtctl console does. Ctrl-] leaves it.")
    .argument('<vm>', 'name of the virtual machine')
    .option('-n, --namespace <name>', "namespace of the VM (default: the kubeconfig's, else default)")
    .option(
      '--kubeconfig <file>',
      'kubeconfig to use (default: $KUBECONFIG, else ~/.kube/config, else the running sandbox)',
    )
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .addOption(
      new Option('--timeout <duration>', 'how long to wait for a VM that does not run')
        .argParser(duration)
        .default(300_000, '5m'),
    )
    .addHelpText('after', NOTES)
    .action(async (vm: string, flags: ConsoleFlags) => {
      const { runConsole } = await import('./run.ts');
      process.exitCode = await runConsole(vm, flags, dependencies);
    });
}

const NOTES = `
A VM has one console. Opening it closes the console of any other client, such as virtctl or IPMI's serial over LAN.
What the VM wrote before is not shown again; press Enter for a prompt.
Where standard input is no terminal it is typed in, and the console stays open until the VM is off.
`;
