import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CachedWatch,
  CONFIG_MAPS,
  isAlreadyExists,
  KubeClient,
  NAMESPACES,
  SERVICE_ACCOUNTS,
  systemClock,
  type Kind,
  type KubeObject,
  type Logger,
} from '@groundcrew/controller-runtime';
import { httpsTransport } from '@groundcrew/controller-runtime/transport-https';
import { createManager } from '../../manager/index.ts';
import { DHCP_PORT, type EmbeddedCluster } from '@groundcrew/kubevirt-simulator';
import { untilSettled } from './until-settled.ts';

/** Image name in agent Deployments that makes the simulator run this program. */
export const IMAGE = 'groundcrew';

/** The manager's service account, as in the chart. */
const ACCOUNT = { namespace: 'groundcrew-system', name: 'groundcrew-manager' };

/** Lifetime of the token in seconds; longer than any sandbox runs. */
const TOKEN_LIFETIME = 10 * 365 * 86_400;

/** Milliseconds to wait for the webhooks. After that the sandbox continues without them. */
const TIMEOUT = 10_000;

/** The running manager. */
export interface RunningManager {
  /** Resolves when the API server calls the manager's webhooks for writes. */
  readonly isAsked: Promise<void>;
}

/** Starts the manager in this process. */
export async function startManager(
  cluster: EmbeddedCluster,
  logger: Logger,
  parts: AsyncDisposableStack,
): Promise<RunningManager> {
  const { server, ca } = cluster;
  // The manager uses its own service account: its own writes do not go through its webhooks.
  const [token] = await Promise.all([managerToken(cluster.client), forgetConfigurations(cluster.client)]);
  const client = new KubeClient({
    transport: httpsTransport({ server, ca, token }),
    fieldManager: 'groundcrew-manager',
  });
  const stop = new AbortController();
  const manager = createManager({
    client,
    clock: systemClock,
    random: randomBytes,
    logger: logger.child({ part: 'manager' }),
    agentImage: IMAGE,
    // The addresses at which Services of all types are published.
    certificateNames: ['localhost', '127.0.0.1'],
    // In a sandbox, event listeners and image servers run on this machine.
    bmcAgentArgs: ['--allow-loopback'],
    dhcp: { agentArgs: ['--loopback-port', String(DHCP_PORT)] },
    admission: { address: { host: '127.0.0.1', port: 0 }, reachedBy: {} },
    namespace: ACCOUNT.namespace,
  });
  const ended = manager.run(stop.signal);
  const isAsked = Promise.race([ended, untilAsked(cluster.client, stop.signal, logger)]);
  // The rejection reaches the callers that await this promise.
  isAsked.catch(() => undefined);
  parts.defer(async () => {
    stop.abort();
    await ended;
    await client.close();
  });
  return { isAsked };
}

/**
 * Writes the CA certificate that signs the BMCs' HTTPS certificates into a folder, once the manager has published it.
 *
 * @returns the path of the file
 */
export async function writeAuthority(
  client: KubeClient,
  folder: string,
  signal: AbortSignal,
  logger: Logger,
): Promise<string> {
  const { namespace } = ACCOUNT;
  const fieldSelector = 'metadata.name=groundcrew-ca';
  const cache = new CachedWatch({ client, kind: CONFIG_MAPS, namespace, fieldSelector, clock: systemClock, logger });
  const published = (): string | undefined => cache.list()[0]?.data?.['ca.crt'];
  const started = Date.now();
  await untilSettled([cache], signal, () => {
    const left = TIMEOUT - (Date.now() - started);
    return published() !== undefined || left <= 0 ? 0 : left;
  });
  const file = join(folder, 'ca.crt');
  await writeFile(file, published() ?? '');
  return file;
}

async function managerToken(client: KubeClient): Promise<string> {
  const { namespace, name } = ACCOUNT;
  await createOnce(client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }));
  await createOnce(client.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: ACCOUNT }));
  const answer = await client.request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: TOKEN_LIFETIME },
    }),
  });
  // authentication.k8s.io/v1 TokenRequest; the server sets the status.
  return (answer as { status: { token: string } }).status.token;
}

async function createOnce(creation: Promise<unknown>): Promise<void> {
  await creation.catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

/** The webhook configurations that the manager maintains. */
const CONFIGURATIONS = ['Mutating', 'Validating'].map((what): Kind<KubeObject> => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: `${what}WebhookConfiguration`,
  plural: `${what.toLowerCase()}webhookconfigurations`,
  namespaced: false,
}));
const OURS = 'app.kubernetes.io/name=groundcrew';

/** After a restore they contain the port of the previous run, where no server listens. */
async function forgetConfigurations(client: KubeClient): Promise<void> {
  await Promise.all(
    CONFIGURATIONS.map(async (kind) => {
      const { items } = await client.list(kind, { labelSelector: OURS });
      await Promise.all(items.map(({ metadata }) => client.delete(kind, metadata)));
    }),
  );
}

async function untilAsked(client: KubeClient, signal: AbortSignal, logger: Logger): Promise<void> {
  const caches = CONFIGURATIONS.map(
    (kind) => new CachedWatch({ client, kind, labelSelector: OURS, clock: systemClock, logger }),
  );
  const started = Date.now();
  await untilSettled(caches, signal, () => {
    const left = TIMEOUT - (Date.now() - started);
    return caches.every((cache) => cache.list().length > 0) || left <= 0 ? 0 : left;
  });
}
