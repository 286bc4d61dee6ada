/** Where a datagram came from and where its answer goes. */
export interface Peer {
  readonly address: string;
  readonly port: number;
}
