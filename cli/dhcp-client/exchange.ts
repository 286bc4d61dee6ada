import {
  decodeMessage,
  DhcpUdpClient,
  type ClientIdentity,
  type ClientLease,
  type ClientTransport,
  type DhcpMessage,
  type Transmission,
} from '../../protocols/dhcp/index.ts';

/** A sent or received message. */
export interface Heard {
  /** ms since the first message. */
  at: number;
  way: 'sent' | 'received';
  message: DhcpMessage;
  to?: Transmission['to'];
}

export interface Wishes {
  identity: ClientIdentity;
  /** The previous address. */
  request?: number;
  renew: boolean;
  release: boolean;
  /** In ms. */
  timeout: number;
}

export interface Exchange {
  messages: readonly Heard[];
  /** The granted lease, also after its release. */
  lease?: ClientLease;
  /** Whether all requested steps are complete. */
  isComplete: boolean;
  /** ms until the first ACK. */
  time?: number;
  /** System errors of messages that could not be sent. */
  errors: readonly Error[];
}

/** Requests a lease, then renews and releases it as requested. Ends when that is complete or at the timeout. */
export async function exchange(transport: ClientTransport, wishes: Wishes): Promise<Exchange> {
  const messages: Heard[] = [];
  const errors: Error[] = [];
  const { promise: over, resolve: end } = Promise.withResolvers<boolean>();
  const remaining = [...(wishes.renew ? ['renew' as const] : []), ...(wishes.release ? ['release' as const] : [])];
  let lease: ClientLease | undefined;
  let time: number | undefined;
  let started: number | undefined;
  const client = new DhcpUdpClient({
    identity: wishes.identity,
    random: Math.random,
    transport,
    now: () => performance.now(),
    onError: (error) => void errors.push(error),
    onStep: ({ send, heard }, { state, lease: current }, now) => {
      started ??= now;
      const at = now - started;
      if (heard !== undefined) messages.push({ at, way: 'received', message: heard });
      if (send !== undefined) messages.push({ at, way: 'sent', message: decodeMessage(send.datagram), to: send.to });
      if (heard === undefined || state !== 'Bound') return;
      lease = current;
      time ??= at;
      const next = remaining.shift();
      if (next === undefined) end(true);
      else if (next === 'renew') setImmediate(renew);
      else setImmediate(release);
    },
  });
  const renew = (): void => {
    client.act((machine, now) => machine.renew(now));
  };
  const release = (): void => {
    client.act((machine, now) => machine.release(now));
    end(true);
  };
  await client.open();
  const timer = setTimeout(end, wishes.timeout, false);
  try {
    const { request } = wishes;
    client.act((machine, now) => machine.start(now, request === undefined ? {} : { address: request }));
    const isComplete = await over;
    return { messages, isComplete, errors, ...(lease && { lease }), ...(time !== undefined && { time }) };
  } finally {
    clearTimeout(timer);
    await client.close();
  }
}
