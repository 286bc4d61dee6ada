import type { Ipv4 } from '../../../api/index.ts';

/** What the cards of guests are plugged into. */
export interface Cables {
  /** @param network `namespace/name` of the card's net-attach-def, which need not be there yet */
  plug(network: string, receive: (datagram: Uint8Array) => void): CablePort;
}

export interface CablePort {
  /** To all servers of the network (255.255.255.255), or to the one of that address. */
  send(datagram: Uint8Array, to: Ipv4): void;
  unplug(): void;
}
