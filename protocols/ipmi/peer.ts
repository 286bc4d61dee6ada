/** Source of a datagram and destination of its answer. */
export interface Peer {
  readonly address: string;
  readonly port: number;
}
