/** What the load client is to do. */
export interface LoadTask {
  host: string;
  port: number;
  username: string;
  password: string;
  /**
   * - `requests`: Get Chassis Status in sessions that are open, the next when an answer is there.
   * - `sessions`: authentication capabilities, the whole log-in, the level, one request, the log-out; and again.
   * - `half-open`: Open Session, granted or refused, and nothing after it; and again.
   */
  kind: 'requests' | 'sessions' | 'half-open';
  /** Clients at a time, each with a port of its own that it keeps. */
  clients: number;
  /** ms */
  duration: number;
}

/** What came of it. */
export interface LoadReport {
  /** Requests, or sessions. */
  count: number;
  /** ms */
  elapsed: number;
  /** µs that one took. */
  p50: number;
  p99: number;
}
