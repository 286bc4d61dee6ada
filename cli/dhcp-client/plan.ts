import type { NetworkInterfaceInfo } from 'node:os';
import {
  bootIdentity,
  broadcastTransport,
  serverTransport,
  USUAL_PARAMETERS,
  type ClientIdentity,
  type ClientTransport,
} from '../../protocols/dhcp/index.ts';
import type { DhcpClientFlags } from './command.ts';

/** The flags are contradictory or impossible. The message says which flags to use. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'UsageError';
}

/** Firmware that iPXE reports if no architecture is given. */
const IPXE_FIRMWARE = 'bios';

/** The identity that the client sends. */
export function identityFrom(flags: DhcpClientFlags): ClientIdentity {
  const { mac, arch, ipxe, hostname, relay, server, optionCodes } = flags;
  const boots = arch !== undefined || ipxe;
  const boot = boots ? bootIdentity(arch ?? IPXE_FIRMWARE, { isIpxe: ipxe }) : {};
  return {
    ...boot,
    macAddress: mac,
    parameterRequestList: optionCodes ?? boot.parameterRequestList ?? USUAL_PARAMETERS,
    // This machine does not have the requested address, so only a broadcast arrives.
    wantsBroadcast: server === undefined,
    ...(hostname !== undefined && { hostname }),
    ...(relay !== undefined && { relayAddress: relay }),
  };
}

/**
 * The transport of the client's messages. @throws UsageError if the flags contradict each other or do not fit the
 * machine
 */
export function transportFrom(
  flags: DhcpClientFlags,
  interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>,
): ClientTransport {
  const { server, relay, renew } = flags;
  const address = localAddress(flags, interfaces);
  if (server !== undefined) return serverTransport({ server, ...(address !== undefined && { address }) });
  if (relay !== undefined) throw new UsageError('--relay needs --server: a relay agent asks a server that it knows.');
  if (renew)
    throw new UsageError(
      '--renew needs --server: the answer would be sent to the leased address, which this machine does not have.',
    );
  return broadcastTransport(address === undefined ? {} : { address });
}

function localAddress(
  { bind, interface: name }: DhcpClientFlags,
  interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>,
): string | undefined {
  if (name === undefined) return bind;
  if (bind !== undefined) throw new UsageError('Give --bind or --interface, not both.');
  const addresses = interfaces[name];
  if (addresses === undefined)
    throw new UsageError(`There is no interface ${name}. There are: ${Object.keys(interfaces).join(', ')}.`);
  const address = addresses.find(({ family }) => family === 'IPv4')?.address;
  if (address === undefined)
    throw new UsageError(`${name} has no IPv4 address, by which alone a program without raw sockets can choose it.`);
  return address;
}
