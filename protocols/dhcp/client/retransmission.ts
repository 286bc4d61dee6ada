const FIRST = 4_000;
const LONGEST = 64_000;
const SPREAD = 1_000;
/** §4.4.5. */
const LEAST_RENEWAL = 60_000;

/**
 * ms until a message is sent again: 4, 8, 16 … 64 s, each a second more or less (RFC 2131 §4.1).
 *
 * @param attempt how often it was sent before; 0: once
 * @param random at least 0, less than 1
 */
export function retransmissionDelay(attempt: number, random: number): number {
  return Math.min(FIRST * 2 ** attempt, LONGEST) + (random * 2 - 1) * SPREAD;
}

/** When a client that has an address asks again: after half of the time that is left, but a minute (RFC 2131 §4.4.5). */
export function nextRenewal(now: number, until: number): number {
  return Math.min(now + Math.max((until - now) / 2, LEAST_RENEWAL), until);
}
