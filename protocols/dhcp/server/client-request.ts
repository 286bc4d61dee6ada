import type { Ipv4, Lease, NetworkSettings, Subnet } from '../lease.ts';
import { PacketView } from '../codec/packet-view.ts';
import { OPTION } from '../options/option-code.ts';
import { decodeRelayAgent, type RelayAgentInformation } from '../options/sub-options.ts';

const NO_RELAY: RelayAgentInformation = { wantsSourcePort: false };

/** A client message with its relay agent information. One object serves all datagrams, one after the other. */
export class ClientRequest {
  readonly packet = new PacketView();
  /** Relay agent information; empty without a relay agent, since a client must not send it (RFC 3046 §2.1). */
  relay: RelayAgentInformation = NO_RELAY;

  /** Returns the error of the datagram; see {@link PacketView.read}. */
  read(datagram: Uint8Array): string | undefined {
    const fault = this.packet.read(datagram);
    if (fault !== undefined) return fault;
    this.relay = NO_RELAY;
    if (this.packet.has(OPTION.relayAgent) && this.packet.giaddr !== 0) {
      this.relay = decodeRelayAgent(this.packet.option(OPTION.relayAgent) ?? new Uint8Array(0)) ?? NO_RELAY;
    }
    return undefined;
  }

  /**
   * An address in the client's network, from the first of these (RFC 3527 §3.1): link selection, subnet selection (RFC 3011),
   * `giaddr`. 0: the server's own network.
   */
  get link(): Ipv4 {
    const { relay, packet } = this;
    return relay.linkSelection ?? packet.u32(OPTION.subnetSelection) ?? packet.giaddr;
  }

  /** The server identifier for this client (RFC 5107). */
  serverIdentifier(settings: NetworkSettings): Ipv4 {
    return this.relay.serverIdOverride ?? settings.serverAddress;
  }
}

/** The server that a message names in option 54; `none`: no option. */
export type NamedServer = 'us' | 'sibling' | 'stranger' | 'none';

export function namedServer(request: ClientRequest, { settings }: Lease): NamedServer {
  const { packet } = request;
  if (!packet.has(OPTION.serverIdentifier)) return 'none';
  const server = packet.u32(OPTION.serverIdentifier);
  if (server === undefined) return 'stranger';
  if (server === settings.serverAddress || server === request.relay.serverIdOverride) return 'us';
  return settings.siblings.includes(server) ? 'sibling' : 'stranger';
}

/** The subnet mask of a prefix length. */
export function maskOf(prefix: number): Ipv4 {
  return prefix === 0 ? 0 : (-1 << (32 - prefix)) >>> 0;
}

export function isInNetwork({ subnet, prefix }: Subnet, address: Ipv4): boolean {
  return ((address ^ subnet) & maskOf(prefix)) === 0;
}

/**
 * Whether answers may go to the relay agent: it is in a network of the pools, or listed. Anyone can forge a relayed message: its
 * answer would leave the network of the virtual machines, to an address and a port that the sender chose.
 */
export function isKnownRelay({ packet: { giaddr } }: ClientRequest, { settings }: Lease): boolean {
  if (giaddr === 0 || isInPools(settings, giaddr)) return true;
  return settings.relays?.some((relay) => isInNetwork(relay, giaddr)) ?? false;
}

/**
 * Whether the client is in the network of its lease. Without a relay agent it is on the server's own link. A relay agent uses one
 * address for all subnets of a network.
 */
export function isAtHome(request: ClientRequest, { settings }: Lease): boolean {
  const { link } = request;
  return link === 0 || isInPools(settings, link);
}

/** Whether an address is in a subnet of any pool of the network. */
function isInPools(settings: NetworkSettings, address: Ipv4): boolean {
  if (isInNetwork(settings, address)) return true;
  return settings.others?.some((other) => isInNetwork(other, address)) ?? false;
}
