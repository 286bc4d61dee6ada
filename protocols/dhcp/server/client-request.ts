import type { Ipv4, NetworkSettings } from '../lease.ts';
import { PacketView } from '../codec/packet-view.ts';
import { OPTION } from '../options/option-code.ts';
import { decodeRelayAgent, type RelayAgentInformation } from '../options/relay-agent.ts';

const NO_RELAY: RelayAgentInformation = { wantsSourcePort: false };

/** What a client asks, with what the relay agent between adds to it. One serves all datagrams, one after the other. */
export class ClientRequest {
  readonly packet = new PacketView();
  /** What the relay agent asks for; nothing where there is none, since a client may not ask for it (RFC 3046 §2.1). */
  relay: RelayAgentInformation = NO_RELAY;

  /** Gives what is wrong with the datagram; see {@link PacketView.read}. */
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
   * An address in the network that the client is in, from the one who knows best (RFC 3527 §3.1): link selection, subnet
   * selection (RFC 3011), `giaddr`. 0: the network that we are in.
   */
  get link(): Ipv4 {
    const { relay, packet } = this;
    return relay.linkSelection ?? packet.u32(OPTION.subnetSelection) ?? packet.giaddr;
  }

  /** What this server calls itself towards this client (RFC 5107). */
  serverIdentifier(settings: NetworkSettings): Ipv4 {
    return this.relay.serverIdOverride ?? settings.serverAddress;
  }
}
