import { DhcpClient, type DhcpClientOptions, type Step } from '../client/dhcp-client.ts';
import type { ClientTransport } from './client-transport.ts';

export interface DhcpUdpClientOptions extends DhcpClientOptions {
  transport: ClientTransport;
  /** ms of a monotonic clock. */
  now: () => number;
  /** A message was sent or received, or a timer expired. */
  onStep?: (step: Step, client: DhcpClient, now: number) => void;
  /** A send or socket error. The client retries later. */
  onError: (error: Error) => void;
}

/** Maximum delay of a Node timer, ms. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * A {@link DhcpClient} with a socket and a timer: it keeps its lease until it is closed.
 *
 * @example
 * const client = new DhcpUdpClient({ identity, random: Math.random, transport: broadcastTransport(), now, onError });
 * await client.open();
 * client.act((machine, at) => machine.start(at));
 */
export class DhcpUdpClient {
  readonly #options: DhcpUdpClientOptions;
  readonly #machine: DhcpClient;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DhcpUdpClientOptions) {
    this.#options = options;
    this.#machine = new DhcpClient(options);
  }

  /** Read-only; change it through {@link act}. */
  get machine(): Readonly<Pick<DhcpClient, 'state' | 'lease' | 'due'>> {
    return this.#machine;
  }

  /** @throws Error of `node:dgram` */
  async open(): Promise<void> {
    await this.#options.transport.open({
      onDatagram: (datagram) => {
        this.act((machine, now) => machine.receive(datagram, now));
      },
      onError: this.#options.onError,
    });
  }

  /** Passes an event to the client, sends the resulting message and sets the timer. */
  act(event: (machine: DhcpClient, now: number) => Step): void {
    const now = this.#options.now();
    const step = event(this.#machine, now);
    if (step.send !== undefined) this.#options.transport.send(step.send);
    clearTimeout(this.#timer);
    const { due } = this.#machine;
    if (due !== undefined) {
      const delay = Math.min(Math.max(due - now, 0), LONGEST_TIMER);
      this.#timer = setTimeout(() => {
        this.act((machine, at) => machine.tick(at));
      }, delay);
    }
    if (step.send !== undefined || step.heard !== undefined) this.#options.onStep?.(step, this.#machine, now);
  }

  /** Stops without a message to the server. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#machine.stop();
    await this.#options.transport.close();
  }
}
