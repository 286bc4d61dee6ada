/** One HTTP request to the API server; `path` begins with `/` and includes the query. */
export interface TransportRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Aborts the request or the stream of its body. */
  signal?: AbortSignal;
  /** Maximum milliseconds without a byte of the body; 0: no limit. Default 30,000. */
  idleTimeout?: number;
}

export interface TransportResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: AsyncIterable<Uint8Array>;
}

/**
 * Sends requests with credentials to one API server over kept-alive connections. Rejects with any Error if there is no
 * HTTP response; resolves for any HTTP status.
 */
export interface Transport {
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Closes idle connections and aborts requests in progress. */
  close(): Promise<void>;
}
