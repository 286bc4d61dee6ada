/** What clients may take of a BMC. Times in ms. */
export interface HttpsLimits {
  /** Connections at a time, TLS handshakes included. */
  connections: number;
  /** Of one address. */
  connectionsPerSource: number;
  /** Request line and headers, in bytes. */
  headerBytes: number;
  /** From the connection to the end of the TLS handshake. */
  handshake: number;
  /** From the beginning of a request to the end of its headers. */
  headers: number;
  /** From the beginning of a request to its end. */
  request: number;
  /** Between two requests. */
  keepAlive: number;
  /** Without a byte in either direction in the middle of an answer: longer than an event stream is silent. */
  silence: number;
  /** After which the connection is closed. */
  requestsPerConnection: number;
  /** Requests that a client may have sent on one connection before it was answered; who sends more has it cut. */
  pipelined: number;
  /** That answers have left to end once the endpoint is closed. */
  close: number;
  /** How often timeouts are looked after. */
  checks: number;
}

/** Enough for a rack's worth of clients behind one address; 256 connections are some 20 MB. */
export const DEFAULT_LIMITS: HttpsLimits = {
  connections: 256,
  connectionsPerSource: 128,
  headerBytes: 16_384,
  handshake: 10_000,
  headers: 10_000,
  request: 30_000,
  keepAlive: 60_000,
  silence: 120_000,
  requestsPerConnection: 10_000,
  pipelined: 4,
  close: 5_000,
  checks: 2_000,
};
