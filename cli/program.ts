import { Command } from 'commander';
import { agentCommand } from './agent/command.ts';
import { consoleCommand } from './console/command.ts';
import { dhcpClientCommand } from './dhcp-client/command.ts';
import { managerCommand } from './manager.ts';
import { sandboxCommand } from './sandbox/command.ts';
import { statusCommand } from './status/command.ts';
import { supportBundleCommand } from './support-bundle/command.ts';
import { version } from './version.ts';
import { webCommand } from './web/command.ts';

/** The parts of the process that a command uses. */
export interface Dependencies {
  /** The script of this program; a child process runs it again. */
  program: string;
  env: Readonly<Record<string, string | undefined>>;
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
}

/** The `groundcrew` command. Each subcommand is loaded on use. */
export function program(dependencies: Dependencies): Command {
  return new Command('groundcrew')
    .description(
      'The ground crew of KubeVirt virtual machines: a BMC for every VM, a DHCP server for every VM network.',
    )
    .version(version())
    .showHelpAfterError('(groundcrew <command> --help shows what can be set)')
    .addCommand(sandboxCommand(dependencies))
    .addCommand(statusCommand(dependencies))
    .addCommand(webCommand(dependencies))
    .addCommand(supportBundleCommand(dependencies))
    .addCommand(consoleCommand(dependencies))
    .addCommand(dhcpClientCommand(dependencies))
    .addCommand(managerCommand(dependencies))
    .addCommand(agentCommand(dependencies));
}
