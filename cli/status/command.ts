import { Command, Option } from 'commander';
import type { Dependencies } from '../program.ts';

export interface StatusFlags {
  kubeconfig?: string;
  context?: string;
  namespace?: string;
  output: 'text' | 'wide' | 'json';
  watch: boolean;
}

/** `groundcrew status`: prints managers, BMCs, pools and leases with their problems, or all about one VM. */
export function statusCommand(dependencies: Dependencies): Command {
  return new Command('status')
    .description(
      'Show managers, BMCs, IP pools and leases, and all problems with what to do; or all about one virtual machine. ' +
        'The exit code is 0 only if everything could be read and nothing is wrong.',
    )
    .argument('[machine]', '[namespace/]name of a virtual machine or of its BMC (default: all)')
    .option(
      '--kubeconfig <file>',
      'kubeconfig to use (default: $KUBECONFIG, else ~/.kube/config, else the running sandbox)',
    )
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('-n, --namespace <name>', 'show only this namespace (default: all; for one machine as with kubectl)')
    .addOption(
      new Option('-o, --output <format>', 'form of the answer; wide has more columns and cuts none')
        .choices(['text', 'wide', 'json'])
        .default('text'),
    )
    .option('-w, --watch', 'show it again every 2 s until Ctrl-C', false)
    .action(async (machine: string | undefined, flags: StatusFlags) => {
      const { runStatus } = await import('./run.ts');
      process.exitCode = await runStatus(machine, flags, dependencies);
    });
}
