import type { Ipv4 } from '../lease.ts';
import { receiver, type DhcpEndpoint, type DhcpEndpointOptions } from './dhcp-endpoint.ts';
import { DhcpSocket } from './dhcp-socket.ts';

export interface LoopbackEndpointOptions extends DhcpEndpointOptions {
  /** Local address to listen on. */
  address: string;
  /** 0: chosen by the system. */
  port: number;
}

/**
 * A DHCP server on any address and port, for networks simulated on one machine and for tests without root. Answers always go to
 * the source of the request.
 */
export class LoopbackEndpoint implements DhcpEndpoint {
  readonly #options: LoopbackEndpointOptions;
  #socket: DhcpSocket | undefined;

  constructor(options: LoopbackEndpointOptions) {
    this.#options = options;
  }

  /** The bound port; 0 before {@link start}. */
  get port(): number {
    return this.#socket?.inputs.port ?? 0;
  }

  async start(): Promise<void> {
    const { address, port, onError, onBound } = this.#options;
    const socket = await DhcpSocket.bind(address, port, {
      // A second agent on the port must fail, not take the first agent's clients.
      reuseAddr: false,
      onError,
      onMessage: receiver(this.#options, ({ datagram }, from) => {
        socket.send(datagram, from.port, from.address);
      }),
    });
    this.#socket = socket;
    onBound?.(socket.inputs);
  }

  /** Always serves all addresses, since none needs an interface. */
  serve(): Promise<readonly Ipv4[]> {
    return Promise.resolve([]);
  }

  async close(): Promise<void> {
    await this.#socket?.close();
    this.#socket = undefined;
  }
}
