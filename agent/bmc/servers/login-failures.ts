import type { Logger } from '@groundcrew/controller-runtime';
import type { EventLog, MachineEvent, Requester } from '../../../protocols/machine/index.ts';
import type { BmcMetrics } from '../bmc-metrics.ts';
import type { EventParts } from '../hypervisor.ts';

/** Where the observer of a protocol reports to. */
export interface ObserverOptions {
  logger: Logger;
  /** Emits an Event on the BMC. */
  report: (...parts: EventParts) => void;
  /** The machine's event log. */
  log: Pick<EventLog, 'append'>;
  /** Shared by all protocols. */
  limiter: FailureLimiter;
  metrics: BmcMetrics;
}

export const LOCKED_OUT = 'the address is locked out for a while after wrong passwords';

type LoginFailedReason = Extract<MachineEvent, { kind: 'LoginFailed' }>['why'];

/** How a refused log-in is reported. */
export interface FailureText {
  /** In the event log. */
  why: LoginFailedReason;
  /** In the Event. */
  text: string;
}

/**
 * Reports a refused log-in, unless it was reported in the last minute.
 *
 * @param fields for the process log
 */
export function reportLoginFailure(
  { logger, report, log, limiter }: ObserverOptions,
  requester: Requester,
  { reason, why, text, ...fields }: FailureText & { reason: string; cipherSuite?: number },
): void {
  const { protocol, user, address } = requester;
  const all = { user, client: address, reason, ...fields };
  if (!limiter.admits(user, address, reason)) {
    logger.debug(all, `log-in over ${protocol} refused again`);
    return;
  }
  logger.warn(all, `log-in over ${protocol} refused`);
  const event = reason === 'LockedOut' ? 'LoginLockedOut' : 'LoginRefused';
  report('Warning', event, `Log-in of ${JSON.stringify(user)} over ${protocol} from ${address} refused: ${text}`);
  log.append({ kind: 'LoginFailed', requester, why });
}

/** ms covered by one report. */
const PERIOD = 60_000;
/** Maximum reports of one reason in that time, across all users: clients choose the names. */
const MAX_OF_REASON = 30;
const MAX_KEYS = 256;

/**
 * Allows one report per user, source and reason in a minute, and a limited number per reason, to protect logs of
 * limited size from flooding.
 */
export class FailureLimiter {
  readonly #now: () => number;
  /** Time of the last report of each key, oldest first. */
  readonly #last = new Map<string, number>();
  readonly #reasons = new Map<string, { since: number; count: number }>();

  /** @param now ms of a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
  }

  admits(user: string, address: string, reason: string): boolean {
    const now = this.#now();
    const key = JSON.stringify([user, address, reason]);
    const last = this.#last.get(key);
    if (last !== undefined && now - last < PERIOD) return false;
    if (!this.#hasRoom(reason, now)) return false;
    this.#last.delete(key);
    this.#last.set(key, now);
    const [oldest] = this.#last.keys();
    if (this.#last.size > MAX_KEYS && oldest !== undefined) this.#last.delete(oldest);
    return true;
  }

  #hasRoom(reason: string, now: number): boolean {
    const before = this.#reasons.get(reason);
    const current = before !== undefined && now - before.since < PERIOD ? before : { since: now, count: 0 };
    this.#reasons.set(reason, current);
    if (current.count >= MAX_OF_REASON) return false;
    current.count += 1;
    return true;
  }
}
