/** Where an API server is and who speaks to it. */
export interface TransportOptions {
  /** `https://host:port`, with a path prefix where a proxy serves several clusters. `http://` for `kubectl proxy`. */
  server: string;
  /** PEM certificates that sign the server's; absent: the machine's own set. */
  ca?: string;
  /** Bearer token; a function is asked before each request, so that a rotated token is taken up. */
  token?: string | (() => string | Promise<string>);
  /** PEM client certificate and its key. */
  cert?: string;
  key?: string;
  /** Sent with each request, for instance `Impersonate-User`. */
  headers?: Record<string, string>;
  /** Name that the server's certificate must hold, where it is not that of `server`. */
  serverName?: string;
  /** Accepts any certificate; only where the person who wrote the kubeconfig asked for it. */
  insecureSkipVerify?: boolean;
}

/**
 * The Accept header of client-go. An aggregated server may have routes that declare no media type, such as KubeVirt's
 * start and stop; go-restful serves those only to a request that accepts any type.
 */
export const ACCEPT = 'application/json, */*';

/** A connection that takes longer to make is given up; milliseconds. */
export const CONNECT_TIMEOUT = 10_000;
/** An API server answers within 60 s, with 504 when all else fails; milliseconds. */
export const HEADERS_TIMEOUT = 65_000;
/** A body that stops for this long has lost its sender, where the request does not say otherwise; milliseconds. */
export const IDLE_TIMEOUT = 30_000;
/** Idle connections are closed before kube-apiserver closes them (90 s), which could cross with a request; milliseconds. */
export const KEEP_ALIVE_TIMEOUT = 60_000;

/** The headers of a request, with the transport's own and the bearer token. */
export async function authorized(
  headers: Record<string, string> | undefined,
  options: Pick<TransportOptions, 'token' | 'headers'>,
): Promise<Record<string, string>> {
  const { token } = options;
  const all = { ...options.headers, ...headers };
  if (token !== undefined) all['authorization'] = `Bearer ${typeof token === 'string' ? token : await token()}`;
  return all;
}
