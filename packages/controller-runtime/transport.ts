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
  /** Whether it must not wait for the connections of others. */
  isUrgent?: boolean;
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

/** Address of an API server and the client's credentials. */
export interface TransportOptions {
  /** `https://host:port`, with a path prefix if a proxy serves several clusters; `http://` for `kubectl proxy`. */
  server: string;
  /** PEM CA certificates of the server; absent: the system's CA certificates. */
  ca?: string;
  /** Bearer token; a function is called before each request, so that a rotated token is used. */
  token?: string | (() => string | Promise<string>);
  /** PEM client certificate and its key. */
  cert?: string;
  key?: string;
  /** Sent with each request, for instance `Impersonate-User`. */
  headers?: Record<string, string>;
  /** Name that the server's certificate must contain if it differs from the host in `server`. */
  serverName?: string;
  /** Accepts any certificate; only for a kubeconfig with insecure-skip-tls-verify. */
  insecureSkipVerify?: boolean;
}

/**
 * The Accept header of client-go. Aggregated servers may have routes without a declared media type, such as KubeVirt's
 * start and stop; go-restful serves those only to requests that accept any type.
 */
export const ACCEPT = 'application/json, */*';

/** The Accept header for the metadata of objects; for a list the server answers with a PartialObjectMetadataList. */
export const ACCEPT_METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
export const ACCEPT_METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/** Connect timeout in milliseconds. */
export const CONNECT_TIMEOUT = 10_000;
/** Response timeout in milliseconds. An API server answers within 60 s, at the latest with 504. */
export const HEADERS_TIMEOUT = 65_000;
/** Default timeout in milliseconds for a body that stops. */
export const IDLE_TIMEOUT = 30_000;
/**
 * Milliseconds after which idle connections are closed. kube-apiserver closes them after 90 s, which could collide with
 * a request.
 */
export const KEEP_ALIVE_TIMEOUT = 60_000;

/** The headers of a request: the transport's headers and the bearer token. */
export async function authorized(
  headers: Record<string, string> | undefined,
  options: Pick<TransportOptions, 'token' | 'headers'>,
): Promise<Record<string, string>> {
  const { token } = options;
  const all = { ...options.headers, ...headers };
  if (token !== undefined) all['authorization'] = `Bearer ${typeof token === 'string' ? token : await token()}`;
  return all;
}
