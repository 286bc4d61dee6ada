import type { RemoteInfo } from 'node:dgram';
import { BusyPoll } from '../../busy-poll.ts';
import type { Ipv4 } from '../lease.ts';
import type { DhcpHandler, Origin, Reply } from '../server-contract.ts';
import type { BoundInputs } from './dhcp-socket.ts';
import { formatAddress } from '../options/values.ts';

export interface DhcpEndpointOptions {
  server: DhcpHandler;
  /** ms of a monotonic clock. */
  now: () => number;
  /** Errors while it runs, possibly one per packet, so sample before logging. The endpoint continues. */
  onError: (error: Error) => void;
  /** A socket was bound. */
  onBound?: (inputs: BoundInputs) => void;
}

/** Binds a {@link DhcpHandler} to UDP. No packet can stop it or block other packets. */
export interface DhcpEndpoint {
  /** @throws Error of `node:dgram`: `EADDRINUSE`, or `EACCES` if this user cannot bind ports below 1024 */
  start(): Promise<void>;
  /**
   * Serves exactly these server addresses. Call it again to retry failed addresses.
   *
   * @returns the addresses that are not served because no interface has them
   */
  serve(addresses: readonly Ipv4[]): Promise<readonly Ipv4[]>;
  /** Stops listening. */
  close(): Promise<void>;
}

/** Passes a datagram to the server; `answer` is called before the next datagram is read. */
export function receiver(
  { server, now, onError }: DhcpEndpointOptions,
  answer: (reply: Reply, from: RemoteInfo) => void,
): (datagram: Uint8Array, from: RemoteInfo) => void {
  const awake = new BusyPoll({ now });
  // Reused for all datagrams: the server reads it only during the call.
  const origin: { -readonly [Field in keyof Origin]: Origin[Field] } = { address: 0, port: 0 };
  return (datagram, from) => {
    try {
      origin.address = addressOf(from.address);
      origin.port = from.port;
      const reply = server.handle(datagram, origin, now());
      if (reply === undefined) return;
      answer(reply, from);
      awake.extend();
    } catch (error) {
      onError(error instanceof Error ? error : new Error('not an Error was thrown', { cause: error }));
    }
  };
}

const DOT = 46;
const ZERO = 48;

/** The number of an address text from the kernel; not validated. */
export function addressOf(text: string): Ipv4 {
  let address = 0;
  let octet = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === DOT) {
      address = address * 256 + octet;
      octet = 0;
    } else octet = octet * 10 + character - ZERO;
  }
  return address * 256 + octet;
}

/** Maximum number of cached addresses; senders choose them. */
const LIMIT = 4096;

/** {@link formatAddress} with a cache: most answers go to the same address as the one before. */
export class AddressTexts {
  readonly #texts = new Map<Ipv4, string>();

  of(address: Ipv4): string {
    const known = this.#texts.get(address);
    if (known !== undefined) return known;
    if (this.#texts.size >= LIMIT) this.#texts.clear();
    const text = formatAddress(address);
    this.#texts.set(address, text);
    return text;
  }
}
