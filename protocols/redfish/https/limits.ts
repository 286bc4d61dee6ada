/** Limits for clients. Times in ms. */
export interface HttpsLimits {
  /** Maximum number of connections, including TLS handshakes. */
  connections: number;
  /** Maximum number of connections from one address. */
  connectionsPerSource: number;
  /** Maximum size of request line and headers, in bytes. */
  headerBytes: number;
  /** Timeout of the TLS handshake. */
  handshake: number;
  /** Timeout from the start of a request to the end of its headers. */
  headers: number;
  /** Timeout from the start of a request to its end. */
  request: number;
  /** Timeout between two requests. */
  keepAlive: number;
  /** Timeout without traffic during an answer; longer than the heartbeat interval of event streams. */
  silence: number;
  /** Requests after which a connection is closed. */
  requestsPerConnection: number;
  /** Maximum number of unanswered requests on a connection; more destroy it. */
  pipelined: number;
  /** Time for pending answers after the endpoint is closed. */
  close: number;
  /** Interval of the timeout checks. */
  checks: number;
}

/** Sufficient for the clients of a rack behind one address; 256 connections need about 20 MB. */
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
