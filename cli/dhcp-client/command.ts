import { Command, Option } from 'commander';
import type { Firmware } from '../../protocols/dhcp/index.ts';
import { duration } from '../parse.ts';
import type { Dependencies } from '../program.ts';
import { codeList, hardwareAddress, ipv4Address, serverAddress, type ServerAddress } from './parse.ts';

export interface DhcpClientFlags {
  mac: number;
  server?: ServerAddress;
  relay?: number;
  bind?: string;
  interface?: string;
  arch?: Firmware;
  ipxe: boolean;
  hostname?: string;
  request?: number;
  renew: boolean;
  release: boolean;
  optionCodes?: readonly number[];
  timeout: number;
  output: 'text' | 'json';
}

const FIRMWARE: readonly Firmware[] = [
  'bios',
  ...(['ia32', 'x64', 'arm64', 'riscv64'] as const).flatMap((processor) => [
    `efi-${processor}` as const,
    `http-${processor}` as const,
  ]),
  's390x',
];
/** Exit code for usage errors; 1 means that no server answered. */
const BAD_USAGE = 2;

/** `groundcrew dhcp-client`: requests a lease as a DHCP client and prints the exchange. */
export function dhcpClientCommand(dependencies: Dependencies): Command {
  return new Command('dhcp-client')
    .description('Request an address like a virtual machine, and print the exchange. Configures nothing.')
    .addOption(
      new Option('--mac <address>', 'hardware address of the client').argParser(hardwareAddress).makeOptionMandatory(),
    )
    .addOption(
      new Option('--server <host[:port]>', 'send only to this server, by unicast; default port: 67').argParser(
        serverAddress,
      ),
    )
    .addOption(
      new Option(
        '--relay <address>',
        "be a relay agent with this address in the client's network (giaddr), which --server answers",
      ).argParser(ipv4Address),
    )
    .option('--bind <address>', 'local IPv4 address to send from')
    .option('--interface <name>', 'network interface to send from')
    .addOption(
      new Option('--arch <firmware>', 'send the requests of this firmware for a network boot').choices(FIRMWARE),
    )
    .option('--ipxe', 'send the requests of iPXE after firmware has started it', false)
    .option('--hostname <name>', 'host name of the client')
    .addOption(
      new Option('--request <address>', 'request this address, like a client that had it before').argParser(
        ipv4Address,
      ),
    )
    .option('--renew', 'renew the lease once', false)
    .option('--release', 'give the lease back', false)
    .addOption(new Option('--option-codes <codes>', 'options to request, such as 1,3,6,67').argParser(codeList))
    .addOption(new Option('--timeout <duration>', 'total time to wait').argParser(duration).default(5_000, '5s'))
    .addOption(new Option('-o, --output <format>', 'form of the answer').choices(['text', 'json']).default('text'))
    .addHelpText('after', NOTES)
    .exitOverride(({ exitCode }) => {
      process.exit(exitCode === 0 ? 0 : BAD_USAGE);
    })
    .action(async (flags: DhcpClientFlags, command: Command) => {
      const { runDhcpClient, UsageError } = await import('./run.ts');
      try {
        process.exitCode = await runDhcpClient(flags, dependencies);
      } catch (error) {
        if (error instanceof UsageError) command.error(`error: ${error.message}`);
        throw error;
      }
    });
}

const NOTES = `
Without --server it broadcasts on the network itself, from port 68: that needs root. With --server and --relay it asks
from any port and needs none; the server has to answer the port that it was asked from (RFC 8357), as groundcrew's does.

Exit code: 0 with a lease, 1 without, 2 when it was asked for what cannot be.

Examples:
  sudo groundcrew dhcp-client --interface eth1 --mac 52:54:00:12:34:56
  groundcrew dhcp-client --server 10.0.0.2 --relay 10.0.0.254 --mac 52:54:00:12:34:56
  groundcrew dhcp-client --server 127.0.0.2:10067 --relay 10.0.0.254 --mac 52:54:00:12:34:56 --arch efi-x64
  groundcrew dhcp-client --server 127.0.0.2:10067 --relay 10.0.0.254 --mac 52:54:00:12:34:56 --arch bios --ipxe -o json
`;
