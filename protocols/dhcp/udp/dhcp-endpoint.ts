import type { RemoteInfo } from 'node:dgram';
import { BusyPoll } from '../../udp/busy-poll.ts';
import type { Ipv4 } from '../lease.ts';
import type { DhcpHandler, Origin, Reply } from '../server-contract.ts';
import type { BoundInputs } from './dhcp-socket.ts';
import { addressOf } from '../../udp/ipv4-text.ts';

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
