import { Command, Option } from 'commander';
import type { Dependencies } from '../program.ts';

interface StatusFlags {
  kubeconfig?: string;
  context?: string;
  namespace?: string;
  output: 'text' | 'json';
}

/** `groundcrew status`: prints all BMCs, pools and leases with their problems. */
export function statusCommand(dependencies: Dependencies): Command {
  return new Command('status')
    .description('Show every BMC with its endpoint and VM power, every IP pool and its leases, and all problems.')
    .option(
      '--kubeconfig <file>',
      'kubeconfig to use (default: $KUBECONFIG, else ~/.kube/config, else the running sandbox)',
    )
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('-n, --namespace <name>', 'show only this namespace (default: all)')
    .addOption(new Option('-o, --output <format>', 'form of the answer').choices(['text', 'json']).default('text'))
    .action(async (flags: StatusFlags) => {
      const { runStatus } = await import('./run.ts');
      process.exitCode = await runStatus(flags, dependencies);
    });
}

export type { StatusFlags };
