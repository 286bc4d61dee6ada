import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { KubeClient, type Clock, type Logger } from '@groundcrew/controller-runtime';
import { httpsTransport } from '@groundcrew/controller-runtime/transport-https';
import { startApiServer } from '@groundcrew/apiserver';
import { startCdi } from './cdi/index.ts';
import { startDeployments } from './deployments/index.ts';
import type { GuestNetwork, GuestNetworkOptions, VirtualSwitch } from './guest/index.ts';
import { type Images, startKubelet } from './kubelet/index.ts';
import { startKubeVirt } from './kubevirt/index.ts';
import { startNetworks } from './networks/index.ts';
import { startServices, type BindFailure, type Services } from './services/index.ts';

export interface ClusterOptions {
  /** TCP port of the API server on 127.0.0.1; 0: the previous port if the folder has one, else any free port. */
  apiPort: number;
  /** Milliseconds of a VM's boot. */
  bootTime: number;
  /** What each container image runs on this machine. */
  images: Images;
  /** Folder for files and logs of pods; created if necessary, and not removed. */
  directory: string;
  /** Whether the cluster is stored in that folder and restored from it. Only one process may use it. */
  keep?: boolean;
  /** Creates the DHCP clients of guests on VM networks; without it nothing answers there. */
  connectGuests?: (virtualSwitch: VirtualSwitch) => (options: GuestNetworkOptions) => GuestNetwork;
  /** Called at each failed attempt to open a Service's node port, every few seconds. */
  onBindFailure?: (failure: BindFailure) => void;
  clock: Clock;
  random: (size: number) => Buffer;
  logger: Logger;
}

/** A running embedded cluster: an API server, KubeVirt, CDI, a node, Deployments and Services. */
export interface EmbeddedCluster {
  /** `https://127.0.0.1:<port>` */
  server: string;
  /** PEM of the authority that signed the server's certificate. */
  ca: string;
  /** Bearer token with all permissions. */
  token: string;
  client: KubeClient;
  /** The addresses of Services' ports. */
  services: Pick<Services, 'addressOf'>;
  close(): Promise<void>;
}

/** Starts the embedded cluster; resolves when its API answers and its simulators watch. */
export async function startCluster(options: ClusterOptions): Promise<EmbeddedCluster> {
  const { clock, random, logger, connectGuests, onBindFailure } = options;
  await using parts = new AsyncDisposableStack();
  const api = await startApiServer({
    port: options.apiPort,
    ...(options.keep === true ? { folder: join(options.directory, 'apiserver') } : {}),
    clock,
    logger: logger.child({ part: 'apiserver' }),
  });
  parts.defer(() => api.close());
  const { server, ca, token } = api;

  const clientOf = (name: string): KubeClient => {
    const client = new KubeClient({ transport: httpsTransport({ server, ca, token }), fieldManager: name });
    parts.defer(() => client.close());
    return client;
  };
  const commonOf = (name: string): { client: KubeClient; clock: Clock; random: typeof random; logger: Logger } => ({
    client: clientOf(name),
    clock,
    random,
    logger: logger.child({ part: name }),
  });

  const directory = join(options.directory, 'kubelet');
  await mkdir(directory, { recursive: true });
  const apiServer = { host: '127.0.0.1', port: Number(new URL(server).port), ca };
  const networks = startNetworks(commonOf('multus'));
  parts.defer(() => networks.close());
  const kubelet = startKubelet({ ...commonOf('kubelet'), images: options.images, apiServer, directory });
  const started = await Promise.all([
    startKubeVirt({
      ...commonOf('virt-controller'),
      bootTime: options.bootTime,
      ...(connectGuests === undefined ? {} : { guestNetwork: connectGuests(networks) }),
      // Media can be inserted into running VMs, as by default in KubeVirt 1.9.
      featureGates: ['DeclarativeHotplugVolumes'],
    }),
    startDeployments(commonOf('deployment-controller')),
    kubelet,
    // Before the kubelet starts, pods of an earlier sandbox are still Ready with old addresses.
    kubelet.then(() =>
      startServices({ ...commonOf('kube-proxy'), ...(onBindFailure === undefined ? {} : { onBindFailure }) }),
    ),
    startCdi(commonOf('cdi-controller')),
    networks.registered,
  ]);
  const [kubeVirt, deployments, , services, cdi] = started;
  for (const part of [kubeVirt, deployments, await kubelet, services, cdi]) parts.defer(() => part.close());

  const client = clientOf('groundcrew-sandbox');
  const running = parts.move();
  return { server, ca, token, client, services, close: () => running.disposeAsync() };
}
