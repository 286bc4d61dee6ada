/** Source of a datagram and destination of its answer. */
export interface Peer {
  readonly address: string;
  readonly port: number;
}

/** Datagrams to send back to the peer, often none. */
export type Answer = readonly Buffer[] | Promise<readonly Buffer[]>;

/** No answer. */
export const NO_ANSWER: readonly Buffer[] = [];
