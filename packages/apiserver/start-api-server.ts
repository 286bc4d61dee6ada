import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { systemClock, type Clock, type Logger } from '@groundcrew/controller-runtime';
import { WebhookAdmission } from './admission/webhook-admission.ts';
import { Aggregator } from './aggregation/aggregator.ts';
import { AvailabilityLoop } from './aggregation/availability-loop.ts';
import { Tokens } from './tokens.ts';
import { type ServerCertificates, prepareIdentity, saveIdentity } from './identity.ts';
import { Discovery } from './discovery/discovery.ts';
import { ApiServer, type AnsweredRequest, type AskedRequest } from './http/api-server.ts';
import { builtinResources } from './builtins/resources.ts';
import { builtinStrategies } from './builtins/strategies.ts';
import { DefinitionLoop } from './controllers/definition-loop.ts';
import { expireEvents } from './controllers/event-expiry.ts';
import { GarbageCollector } from './controllers/garbage-collector.ts';
import { InternalWriter } from './controllers/writers.ts';
import { NamespaceLoop } from './controllers/namespace-loop.ts';
import { OpenApi } from './open-api.ts';
import type { ApiObject } from './objects.ts';
import { Registry, type Resource } from './resources/index.ts';
import { Rest, type ApiContext } from './rest/index.ts';
import { BuiltinSchemas } from './schema/index.ts';
import { FolderDisk, Store } from './store/index.ts';

const ISSUER = 'https://kubernetes.default.svc';
const CLUSTER_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

export interface ApiServerStartOptions {
  /** Default 127.0.0.1. */
  host?: string;
  /** Default 0: the last port that the server of this folder used, or any free port. */
  port?: number;
  /**
   * The folder of objects, certificates and tokens. A restarted server continues with the state in it. Only one server
   * may use it at a time. Default: everything is in memory only.
   */
  folder?: string;
  /** The range of cluster IPs. Default 127.96.0.0/16, which Linux routes to the loopback interface. */
  serviceCidr?: string;
  /** The first and the last node port. Default 1024 to 65535. */
  nodePortRange?: readonly [number, number];
  clock?: Clock;
  /** Returns a number in [0, 1). For generated names, addresses and ports; never for keys and tokens. */
  random?: () => number;
  logger: Logger;
  /** Called for each request of an authenticated client when it has been answered. */
  onAnswer?: (answered: AnsweredRequest) => void;
  /** Called for each request of an authenticated client; the server goes on with it when the result resolves. Default: at once. */
  holds?: (asked: AskedRequest) => Promise<void> | undefined;
}

export interface RunningApiServer {
  /** `https://127.0.0.1:<port>`. */
  readonly server: string;
  /** The CA certificate of the server, PEM. */
  readonly ca: string;
  /** The administrator's bearer token. */
  readonly token: string;
  close(): Promise<void>;
}

/**
 * Starts a Kubernetes API server in this process, with the state in `folder` or with an empty store.
 *
 * @throws StorageError if the folder cannot be used; the system error if it cannot listen on the port (EADDRINUSE, EACCES)
 */
export async function startApiServer(options: ApiServerStartOptions): Promise<RunningApiServer> {
  const { host = '127.0.0.1', clock = systemClock, random = Math.random, logger } = options;
  const { folder } = options;
  const [identity, schemas] = await Promise.all([prepareIdentity(clock.now(), folder), BuiltinSchemas.load()]);
  const { certificates } = identity;
  const store = openStore(options);
  const registry = new Registry();
  const strategies = builtinStrategies({
    store,
    random,
    serviceCidr: options.serviceCidr ?? '127.96.0.0/16',
    nodePortRange: options.nodePortRange ?? [1024, 65535],
  });
  for (const resource of builtinResources(schemas, strategies)) registry.add(resource);
  const tokens = new Tokens({
    now: () => clock.now(),
    issuer: ISSUER,
    admin: identity.adminToken,
    key: identity.tokenKey,
    exists: (kind, namespace, name, uid) => objectExists(store, kind, namespace, name, uid),
  });
  const metadataSchema = schemas.get('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  const admission = new WebhookAdmission({ store, registry, logger });
  const context: ApiContext = {
    store,
    registry,
    clock,
    random,
    logger,
    tokens,
    metadataSchema,
    admission,
  };
  const aggregator = new Aggregator(store, certificates.frontProxy);
  const stopAdmission = admission.start();
  const stopLoops = startLoops(context, aggregator, certificates);

  const listener = createServer({
    cert: certificates.server.cert,
    key: certificates.server.key,
    ALPNProtocols: ['http/1.1'],
    shouldUpgradeCallback: (request) => api.takesUpgrade(request),
  });
  const address = (): string => {
    const { address: ip, port } = listener.address() as AddressInfo; // a TCP server that listens has one
    return `${ip.includes(':') ? `[${ip}]` : ip}:${port}`;
  };
  const api = new ApiServer({
    context,
    rest: new Rest(context),
    discovery: new Discovery(registry, store, (apiService) => aggregator.remembered(apiService)),
    openApi: new OpenApi(registry, schemas),
    aggregator,
    issuer: ISSUER,
    address,
    ...(options.onAnswer === undefined ? {} : { onAnswer: options.onAnswer }),
    ...(options.holds === undefined ? {} : { holds: options.holds }),
  });
  const sockets = new Set<Socket>();
  listener.keepAliveTimeout = 90_000;
  listener.on('request', (request, response) => void api.handle(request, response));
  listener.on('upgrade', (request, socket, head) => {
    api.upgrade(request, socket, head);
  });
  // Not secureConnection: a handshake that ends after close() would leave an open socket.
  listener.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  try {
    await listening(listener, (options.port ?? 0) || (identity.port ?? 0), host);
    const { port } = listener.address() as AddressInfo; // a TCP server that listens has one
    if (folder !== undefined) saveIdentity(folder, { ...identity, port });
  } catch (error) {
    stopLoops();
    stopAdmission();
    listener.close();
    await store.close();
    throw error;
  }
  return {
    server: `https://${address()}`,
    ca: certificates.authority.cert,
    token: identity.adminToken,
    async close() {
      stopLoops();
      stopAdmission();
      aggregator.close();
      const closed = new Promise<void>((resolve) =>
        listener.close(() => {
          resolve();
        }),
      );
      for (const socket of sockets) socket.destroy();
      await closed;
      await store.close();
    },
  };
}

function openStore({ folder, logger }: ApiServerStartOptions): Store {
  if (folder === undefined) return new Store();
  return Store.open({ disk: new FolderDisk(join(folder, 'store')), logger });
}

async function listening(listener: Server, port: number, host: string): Promise<void> {
  listener.listen(port, host);
  // Rejects if the listener emits `error` first.
  await once(listener, 'listening');
}

function startLoops(context: ApiContext, aggregator: Aggregator, certificates: ServerCertificates): () => void {
  const { store, registry, clock, metadataSchema, logger } = context;
  const writer = new InternalWriter(context);
  const resource = (group: string, plural: string) => {
    const found = registry.find(group, 'v1', plural);
    if (found === undefined) throw new Error(`${plural} are not served`);
    return found;
  };
  const stops = [
    new NamespaceLoop(context, writer, certificates.authority.cert).start(),
    new DefinitionLoop({ store, registry, writer, metadataSchema }).start(),
    new GarbageCollector(context).start(),
    new AvailabilityLoop({
      store,
      clock,
      writer,
      aggregator,
      logger,
      resource: resource('apiregistration.k8s.io', 'apiservices'),
    }).start(),
    expireEvents(store, clock, logger),
  ];
  for (const name of CLUSTER_NAMESPACES)
    writer.ensure(resource('', 'namespaces'), { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  publishFrontProxy(writer, resource('', 'configmaps'), certificates.frontProxyAuthority.cert);
  return () => {
    for (const stop of stops) stop();
  };
}

/** Writes the ConfigMap that tells aggregated servers how to verify the front proxy's client certificate. */
function publishFrontProxy(writer: InternalWriter, configMaps: Resource, ca: string): void {
  const object: ApiObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system' },
    data: {
      'requestheader-client-ca-file': ca,
      'requestheader-allowed-names': '["front-proxy-client"]',
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    },
  };
  const published = writer.get(configMaps, object.metadata);
  if (published === undefined) writer.ensure(configMaps, object);
  else writer.update(configMaps, published, (copy) => Object.assign(copy, { data: object['data'] }));
}

function objectExists(store: Store, kind: string, namespace: string, name: string, uid: string): boolean {
  const collection =
    { ServiceAccount: '/serviceaccounts', Pod: '/pods', Secret: '/secrets', Node: '/nodes' }[kind] ?? '';
  return store.collection(collection).get(kind === 'Node' ? name : `${namespace}/${name}`)?.object.metadata.uid === uid;
}
