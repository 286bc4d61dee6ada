/** One HTTP request to the API server; `path` begins with `/` and holds the query. */
export interface TransportRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Ends the request, or the stream of its body, early. */
  signal?: AbortSignal;
  /** Milliseconds without a byte of the body after which it fails; 0: never. Default 30,000. */
  idleTimeout?: number;
}

export interface TransportResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: AsyncIterable<Uint8Array>;
}

/**
 * Carries requests to one API server over kept-alive connections and adds the credentials.
 * Rejects with any Error when no HTTP answer came; an answer of any status resolves.
 */
export interface Transport {
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Closes idle connections and ends those in use. */
  close(): Promise<void>;
}
