import type { KubeConfig } from '@kubernetes/client-node';
import { undiciTransport, type UndiciTransportOptions } from './transport-undici.ts';
import type { Transport, TransportOptions } from './transport.ts';

/** The kubeconfig is absent, unreadable or incomplete. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
  readonly code = 'KubeconfigError';
}

/** Access data of a cluster and a user from a kubeconfig. */
export interface ClusterAccess extends UndiciTransportOptions {
  /** Namespace of the context, if set. */
  namespace?: string;
}

/**
 * A transport to the current context of a kubeconfig. Tokens, client certificates, exec plug-ins (run again when their
 * credential expires) and impersonation work as with kubectl.
 *
 * @param path absent: `$KUBECONFIG`, then `~/.kube/config`, then the Pod's service account
 * @param context absent: the current context of the kubeconfig
 * @throws KubeconfigError
 */
export async function kubeconfigTransport(path?: string, context?: string): Promise<Transport> {
  return undiciTransport(await clusterAccess(path, context));
}

/** The access data of the same cluster, for connections other than requests, such as WebSockets. */
export async function clusterAccess(path?: string, context?: string): Promise<ClusterAccess> {
  const config = await load(path);
  if (context !== undefined) useContext(config, context);
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    throw new KubeconfigError(
      `kubeconfig ${path ?? ''} has no current cluster: kubectl config use-context sets one`.replace('  ', ' '),
    );
  }
  const { namespace } = config.getContextObject(config.getCurrentContext()) ?? {};
  const place = { server: cluster.server, ...(namespace === undefined ? {} : { namespace }) };
  if (cluster.server.startsWith('http:')) return place;
  const { ca, cert, key, headers } = await credentials(config);
  const impersonated = headers['Impersonate-User'];
  return {
    ...place,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(cluster.tlsServerName === undefined ? {} : { serverName: cluster.tlsServerName }),
    ...(cluster.proxyUrl === undefined ? {} : { proxy: cluster.proxyUrl }),
    ...(impersonated === undefined ? {} : { headers: { 'impersonate-user': impersonated } }),
    ...(headers['Authorization'] === undefined ? {} : { token: () => bearerToken(config) }),
    insecureSkipVerify: cluster.skipTLSVerify,
  };
}

async function load(path: string | undefined): Promise<KubeConfig> {
  // Loading client-node takes half a second and 60 MB, so it is loaded only for a kubeconfig.
  const clientNode = await import('@kubernetes/client-node');
  const config = new clientNode.KubeConfig();
  try {
    if (path === undefined) config.loadFromDefault();
    else config.loadFromFile(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new KubeconfigError(`cannot read the kubeconfig: ${why}`, { cause: error });
  }
  // client-node's default when it finds no kubeconfig.
  if (path === undefined && config.getCurrentCluster()?.server === 'http://localhost:8080') {
    throw new KubeconfigError('no kubeconfig: set KUBECONFIG, or name one with --kubeconfig');
  }
  return config;
}

function useContext(config: KubeConfig, context: string): void {
  if (config.getContextObject(context) === null) {
    const known = config.getContexts().map(({ name }) => name);
    throw new KubeconfigError(`the kubeconfig has no context ${context}; it has ${known.join(', ')}`);
  }
  config.setCurrentContext(context);
}

interface Credentials extends Pick<TransportOptions, 'ca' | 'cert' | 'key'> {
  headers: Record<string, string | undefined>;
}

async function credentials(config: KubeConfig): Promise<Credentials> {
  // client-node sets these fields, PEM data as Buffers.
  const options: { ca?: Buffer | string; cert?: Buffer | string; key?: Buffer | string } & {
    headers: Record<string, string | undefined>;
  } = { headers: {} };
  await config.applyToHTTPSOptions(options);
  const { ca, cert, key, headers } = options;
  return {
    headers,
    ...(ca === undefined ? {} : { ca: ca.toString() }),
    ...(cert === undefined ? {} : { cert: cert.toString() }),
    ...(key === undefined ? {} : { key: key.toString() }),
  };
}

async function bearerToken(config: KubeConfig): Promise<string> {
  const { headers } = await credentials(config);
  const [scheme, token] = (headers['Authorization'] ?? '').split(' ');
  if (scheme !== 'Bearer' || token === undefined) {
    throw new KubeconfigError(
      `the kubeconfig's user gives ${scheme ?? 'no'} credentials; API servers want a bearer token`,
    );
  }
  return token;
}
