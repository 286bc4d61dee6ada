import type { Ipv4 } from '../lease.ts';
import { AddressTexts, formatAddress } from '../../udp/ipv4-text.ts';
import type { Reply } from '../server-contract.ts';
import { type DhcpEndpoint, type DhcpEndpointOptions, receiver } from './dhcp-endpoint.ts';
import { DhcpSocket } from './dhcp-socket.ts';
import { type Host, OutgoingInterface } from './outgoing-interface.ts';

/** RFC 2131 §4.1. */
const SERVER_PORT = 67;
const BROADCAST = '255.255.255.255';
const EVERYONE: Ipv4 = 0xffffffff;

export interface DhcpUdpEndpointOptions extends DhcpEndpointOptions {
  /** Default 67; only tests use another, since clients send to no other. */
  port?: number;
  /** Default: that of the kernel. */
  host?: Host;
}

/**
 * A DHCP server on real networks. One socket on 255.255.255.255 receives from clients without an address. One socket per server
 * address receives from relay agents and renewing clients, and sends: its address determines the interface of broadcasts. Nothing is
 * sent from 0.0.0.0, and nothing to an address whose route leaves by another interface: in a container, that is another network.
 */
export class DhcpUdpEndpoint implements DhcpEndpoint {
  readonly #options: DhcpUdpEndpointOptions;
  readonly #texts = new AddressTexts();
  readonly #senders = new Map<Ipv4, DhcpSocket>();
  readonly #outgoing: OutgoingInterface;
  #broadcast: DhcpSocket | undefined;
  /** Serializes changes of the addresses. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(options: DhcpUdpEndpointOptions) {
    this.#options = options;
    this.#outgoing = new OutgoingInterface(options.host);
  }

  async start(): Promise<void> {
    this.#broadcast = await this.#bind(BROADCAST);
  }

  async serve(addresses: readonly Ipv4[]): Promise<readonly Ipv4[]> {
    const changed = this.#changing.then(() => this.#change(addresses));
    this.#changing = changed.catch(() => undefined);
    return await changed;
  }

  async close(): Promise<void> {
    await this.serve([]);
    await this.#broadcast?.close();
    this.#broadcast = undefined;
  }

  async #change(addresses: readonly Ipv4[]): Promise<Ipv4[]> {
    const missing: Ipv4[] = [];
    const failures: unknown[] = [];
    for (const [address, socket] of this.#senders) {
      if (addresses.includes(address)) continue;
      this.#senders.delete(address);
      await socket.close();
    }
    for (const address of addresses) {
      if (this.#senders.has(address)) continue;
      try {
        this.#senders.set(address, await this.#bind(formatAddress(address)));
      } catch (error) {
        if (isNotLocal(error)) missing.push(address);
        else failures.push(error);
      }
    }
    // A failed address must not block the others.
    if (failures.length > 0) throw failures[0];
    return missing;
  }

  async #bind(address: string): Promise<DhcpSocket> {
    const { port = SERVER_PORT, onError, onBound } = this.#options;
    const onMessage = receiver(this.#options, (reply) => {
      this.#answer(reply);
    });
    const socket = await DhcpSocket.bind(address, port, { reuseAddr: true, onError, onMessage });
    onBound?.(socket.inputs);
    return socket;
  }

  #answer({ datagram, from, to, port }: Reply): void {
    const sender = this.#senders.get(from);
    if (sender === undefined)
      throw new NoInterfaceError(`no interface has ${formatAddress(from)}, which answers come from`);
    const detour = to === EVERYONE ? undefined : this.#outgoing.detour(from, to, this.#options.now());
    if (detour !== undefined) throw new OffNetworkError(`${formatAddress(to)} is not answered: ${detour}`);
    sender.send(datagram, port, this.#texts.of(to));
  }
}

/** The server would answer from an address that no interface has. */
class NoInterfaceError extends Error {
  override readonly name = 'NoInterfaceError';
  readonly code = 'NoInterface';
}

/** An answer would leave the network of the clients. */
class OffNetworkError extends Error {
  override readonly name = 'OffNetworkError';
  readonly code = 'OffNetwork';
}

function isNotLocal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRNOTAVAIL';
}
