import { Command, Option } from 'commander';
import { duration } from '../parse.ts';
import type { Dependencies } from '../program.ts';

export interface SupportBundleFlags {
  kubeconfig?: string;
  context?: string;
  namespace?: string;
  /** Default: `groundcrew-support-<time>.tar.gz`. */
  output?: string;
  timeout: number;
}

/** `groundcrew support-bundle`: writes what is needed to find a fault into one archive, without secrets. */
export function supportBundleCommand(dependencies: Dependencies): Command {
  return new Command('support-bundle')
    .description(
      'Write objects, Events, logs, metrics and versions into a .tar.gz. It has no data of Secrets, and their values are ' +
        'redacted wherever they occur. It does have names, addresses and users: look at it before you send it.',
    )
    .option(
      '--kubeconfig <file>',
      'kubeconfig to use (default: $KUBECONFIG, else ~/.kube/config, else the running sandbox)',
    )
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('-n, --namespace <name>', 'only BMCs, VMs and networks of this namespace, and managers (default: all)')
    .option('-o, --output <file>', 'file to write, which must not exist (default: groundcrew-support-<time>.tar.gz)')
    .addOption(
      new Option('--timeout <duration>', 'what is not read by then is left out')
        .argParser(duration)
        .default(120_000, '2m'),
    )
    .action(async (flags: SupportBundleFlags) => {
      const { runSupportBundle } = await import('./run.ts');
      process.exitCode = await runSupportBundle(flags, dependencies);
    });
}
