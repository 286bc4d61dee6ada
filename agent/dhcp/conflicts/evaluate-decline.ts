/** Milliseconds between two DECLINEs that are two: a client that finds its address taken waits ten seconds (RFC 2131 §3.1). */
const APART = 10_000;
/** Milliseconds after which a DECLINE is forgotten. */
const MEMORY = 600_000;

export interface DeclineVerdict {
  /** When the first of the DECLINEs that count was. */
  since: number;
  /** Another has the address: anybody can forge one DECLINE, but the client asks anew in between. */
  isConfirmed: boolean;
}

/**
 * What one more DECLINE of a lease says.
 *
 * @param since of the verdict before, if there is one
 * @param now ms of a clock that never goes back
 */
export function evaluateDecline(since: number | undefined, now: number): DeclineVerdict {
  if (since === undefined || now - since > MEMORY) return { since: now, isConfirmed: false };
  return { since, isConfirmed: now - since >= APART };
}
