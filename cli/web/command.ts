import { Command } from 'commander';
import { wholeNumber } from '../parse.ts';
import type { Dependencies } from '../program.ts';
import { keepHeapSmall } from '../small-heap.ts';

export interface WebFlags {
  kubeconfig?: string;
  context?: string;
  namespace?: string;
  port: number;
}

/** `groundcrew web`: serves a page with all that `groundcrew status` shows, and the pages of the BMCs. */
export function webCommand(dependencies: Dependencies): Command {
  return new Command('web')
    .description(
      'Serve a page for a browser of this machine until Ctrl-C: BMCs and their consoles, pools, leases, Events, and all problems with what to do. ' +
        'It prints a link that can be used once. It uses the rights of the kubeconfig; nothing is installed in the cluster.',
    )
    .option(
      '--kubeconfig <file>',
      'kubeconfig to use (default: $KUBECONFIG, else ~/.kube/config, else the running sandbox)',
    )
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('-n, --namespace <name>', 'show only this namespace (default: all)')
    .option('--port <port>', 'TCP port on 127.0.0.1; 0 selects a free port', wholeNumber(0, 65_535), 0)
    .action(async (flags: WebFlags) => {
      keepHeapSmall();
      const { runWeb } = await import('./run.ts');
      process.exitCode = await runWeb(flags, dependencies);
    });
}
