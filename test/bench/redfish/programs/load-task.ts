/** What the load client is to do. */
export interface LoadTask {
  /** What to GET. */
  url: string;
  username: string;
  password: string;
  /** Kept open; each asks again when its answer is there. */
  connections: number;
  /** It ends after so many ms, or requests, whichever is first. */
  duration: number;
  most: number;
}

/** What came of it. */
export interface LoadReport {
  count: number;
  /** ms */
  elapsed: number;
  p50: number;
  p99: number;
}
