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
