import type { RequestMessage } from '../message/lan-message.ts';

/** A request that was carried out, or is being. */
interface Handled {
  fingerprint: string;
  at: number;
  /** The IPMI response; undefined while the request runs. */
  response: Buffer | undefined;
}

/**
 * Longest time after which a client still retransmits, in ms: `ipmitool -N 5` sends its last try 26 s after the first.
 * A requester uses a sequence number again after 64 requests, which replaces what is remembered under it.
 */
const LIFETIME = 30_000;

/**
 * Requests with an effect that a session has carried out, so that one whose answer was lost is answered again and not
 * carried out again. A retransmission comes in a packet of its own, with a session sequence number that was not seen,
 * but with the IPMI sequence number of the first (IPMI 2.0 §6.12.14).
 */
export class Retransmissions {
  readonly #bySequence = new Map<number, Handled>();

  /** What became of the same request before: its response, `running`, or undefined for one that is new. */
  find(request: RequestMessage, now: number): Buffer | 'running' | undefined {
    const handled = this.#bySequence.get(request.sequence);
    if (handled === undefined || handled.fingerprint !== fingerprint(request)) return undefined;
    if (handled.response === undefined) return 'running';
    return now - handled.at <= LIFETIME ? handled.response : undefined;
  }

  /**
   * Takes note of a request that starts now. One that may run twice only replaces what had its sequence number: the client
   * has moved on.
   *
   * @returns takes the response; undefined where the request failed, after which it may be tried again
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
