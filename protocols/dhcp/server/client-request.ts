import type { Ipv4, NetworkSettings } from '../lease.ts';
import { PacketView } from '../codec/packet-view.ts';
import { OPTION } from '../options/option-code.ts';
import { decodeRelayAgent, type RelayAgentInformation } from '../options/relay-agent.ts';

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
