import { type DhcpMessage, optionOf } from '../codec/message.ts';
import type { Ipv4 } from '../lease.ts';
import { decodeU32 } from '../options/values.ts';
import { OPTION } from '../options/option-code.ts';

/** The address of a client and its expiry: ms of the client's clock, or Infinity. */
export interface ClientLease {
  readonly address: Ipv4;
  readonly server: Ipv4;
  readonly renewAt: number;
  readonly rebindAt: number;
  readonly expiresAt: number;
  /** The ACK with all further options. */
  readonly message: DhcpMessage;
}

const FOREVER = 0xffffffff;

/**
 * The lease in an ACK. Undefined without an address, a server or a lease time: RFC 2131 §4.3.1 requires them.
 *
 * @param askedAt when the REQUEST was sent: the lease time starts then (RFC 2131 §4.4.1)
 */
export function leaseOf(message: DhcpMessage, askedAt: number): ClientLease | undefined {
  const number = (code: number): number | undefined => {
    const value = optionOf(message, code);
    return value === undefined ? undefined : decodeU32(value);
  };
  const server = number(OPTION.serverIdentifier);
  const time = number(OPTION.leaseTime);
  if (server === undefined || time === undefined || message.yiaddr === 0) return undefined;
  const after = (seconds: number): number => askedAt + seconds * 1000;
  const lease = { address: message.yiaddr, server, message };
  if (time === FOREVER) return { ...lease, renewAt: Infinity, rebindAt: Infinity, expiresAt: Infinity };
  // §4.4.5: T1 is half of the lease time, T2 seven eighths.
  const rebinding = Math.min(number(OPTION.rebindingTime) ?? time * 0.875, time);
  const renewal = Math.min(number(OPTION.renewalTime) ?? time * 0.5, rebinding);
  return { ...lease, renewAt: after(renewal), rebindAt: after(rebinding), expiresAt: after(time) };
}

const FIRST = 4_000;
const LONGEST = 64_000;
const SPREAD = 1_000;
/** ms; RFC 2131 §4.4.5. */
const LEAST_RENEWAL = 60_000;

/**
 * ms until a message is sent again: 4, 8, 16 … 64 s, each plus or minus one second (RFC 2131 §4.1).
 *
 * @param attempt number of earlier retransmissions
 * @param random at least 0, less than 1
 */
export function retransmissionDelay(attempt: number, random: number): number {
  return Math.min(FIRST * 2 ** attempt, LONGEST) + (random * 2 - 1) * SPREAD;
}

/** When a client with a lease retries: after half of the remaining time, at least one minute (RFC 2131 §4.4.5). */
export function nextRenewal(now: number, until: number): number {
  return Math.min(now + Math.max((until - now) / 2, LEAST_RENEWAL), until);
}
