/** Packets of the LAN channel since the server started or a client cleared them. */
export class LanStatistics {
  received = 0;
  /** Received packets with a valid RMCP header. */
  validRmcp = 0;
  sent = 0;

  clear(): void {
    this.received = 0;
    this.validRmcp = 0;
    this.sent = 0;
  }
}
