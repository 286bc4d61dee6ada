import type { RequestMessage } from '../message/lan-message.ts';

/** A finished or running request. */
interface Handled {
  fingerprint: string;
  at: number;
  /** The IPMI response; undefined while the request runs. */
  response: Buffer | undefined;
}

/**
 * Maximum time between first transmission and last retransmission, in ms: 26 s with `ipmitool -N 5`. A requester reuses a sequence
 * number after 64 requests, which replaces the stored request.
 */
const LIFETIME = 30_000;

/**
 * Executed requests with side effects of a session, so that a retransmission gets the stored response and is not executed again. A
 * retransmission has a new session sequence number but the same IPMI sequence number (IPMI 2.0 §6.12.14).
 */
export class Retransmissions {
  readonly #bySequence = new Map<number, Handled>();

  /** The stored response of the same request, `running`, or undefined for a new request. */
  find(request: RequestMessage, now: number): Buffer | 'running' | undefined {
    const handled = this.#bySequence.get(request.sequence);
    if (handled === undefined || handled.fingerprint !== fingerprint(request)) return undefined;
    if (handled.response === undefined) return 'running';
    return now - handled.at <= LIFETIME ? handled.response : undefined;
  }

  /**
   * Registers a request that starts now. A repeatable request only removes the earlier one with its sequence number, since the client
   * has moved on.
   *
   * @returns a function for the response; undefined for a failed request, which may be retried
   */
  begin(request: RequestMessage, runsOnce: boolean, now: number): (response: Buffer | undefined) => void {
    if (!runsOnce) {
      this.#bySequence.delete(request.sequence);
      return () => undefined;
    }
    const handled: Handled = { fingerprint: fingerprint(request), at: now, response: undefined };
    this.#bySequence.set(request.sequence, handled);
    return (response) => {
      handled.response = response;
      const isCurrent = this.#bySequence.get(request.sequence) === handled;
      if (response === undefined && isCurrent) this.#bySequence.delete(request.sequence);
    };
  }
}

function fingerprint(request: RequestMessage): string {
  const { netFn, responderLun, requesterAddress, requesterLun, command, data } = request;
  return [netFn, responderLun, requesterAddress, requesterLun, command, data.toString('hex')].join(':');
}
