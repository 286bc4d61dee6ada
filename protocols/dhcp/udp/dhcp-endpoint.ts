import type { RemoteInfo } from 'node:dgram';
import { BusyPoll } from '../../busy-poll.ts';
import type { Ipv4 } from '../lease.ts';
import type { DhcpHandler, Origin, Reply } from '../server-contract.ts';
import type { BoundInputs } from './dhcp-socket.ts';
import { addressOf } from './ipv4-text.ts';

export interface DhcpEndpointOptions {
  server: DhcpHandler;
  /** ms of a clock that never goes back. */
  now: () => number;
  /** What goes wrong while it runs, perhaps with every packet: whoever logs it samples it. It runs on. */
  onError: (error: Error) => void;
  /** A socket was bound. */
  onBound?: (inputs: BoundInputs) => void;
}

/** Binds a {@link DhcpHandler} to UDP. One packet, whatever it is, never ends it or holds up the others. */
export interface DhcpEndpoint {
  /** @throws Error of `node:dgram`: `EADDRINUSE`, or `EACCES` where ports below 1024 are not for this user */
  start(): Promise<void>;
  /**
   * Serves these server addresses, and others no longer. Called again, it tries again what did not succeed.
   *
   * @returns those that are not served, since no interface has them
   */
  serve(addresses: readonly Ipv4[]): Promise<readonly Ipv4[]>;
  /** Stops listening. */
  close(): Promise<void>;
}

/** What the server says to a datagram, if anything; `answer` is called before the next one is looked at. */
export function receiver(
  { server, now, onError }: DhcpEndpointOptions,
  answer: (reply: Reply, from: RemoteInfo) => void,
): (datagram: Uint8Array, from: RemoteInfo) => void {
  const awake = new BusyPoll({ now });
  // One for all datagrams: the server reads it while it handles one.
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
