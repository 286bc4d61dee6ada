import { mkdir, readdir, rm } from 'node:fs/promises';
import { arch, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import {
  CachedWatch,
  EventRecorder,
  isAlreadyExists,
  NODES,
  PODS,
  timestamp,
  type Clock,
  type Draft,
  type KubeClient,
  type Logger,
  type Node,
} from '@groundcrew/controller-runtime';
import { issueServerCertificate } from '@groundcrew/controller-runtime/certificates';
import type { Images } from './launch.ts';
import { startLogServer } from './log-server.ts';
import { claimAddress, PodAddresses } from './pod-addresses.ts';
import { Pods } from './pods.ts';

export interface KubeletOptions {
  /** A client with all permissions. */
  client: KubeClient;
  clock: Clock;
  random: (size: number) => Buffer;
  logger: Logger;
  /** Programs of the images on this machine. */
  images: Images;
  /** The API server as pods reach it. */
  apiServer: { host: string; port: number; ca: string };
  /** Folder for files and logs of pods. Files of pods that no longer exist are removed. */
  directory: string;
  /** Default `sandbox`. */
  nodeName?: string;
  /** Grace period of programs when the kubelet closes, milliseconds. Default 5,000. */
  closeGrace?: number;
}

export interface Kubelet {
  readonly nodeName: string;
  /** Ends the programs of all pods; the pods stay in the API server. */
  close(): Promise<void>;
}

const HOST_IP = '127.0.0.1';

/**
 * Starts a node whose pods are child processes; resolves when it is registered and its pods are starting. Pods of an
 * earlier kubelet are started again, as after a reboot of the node.
 */
export async function startKubelet(options: KubeletOptions): Promise<Kubelet> {
  const { client, clock, random, logger, images, apiServer, nodeName = 'sandbox', closeGrace = 5_000 } = options;
  const stop = new AbortController();
  const directory = join(options.directory, 'pods');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const cache = new CachedWatch({ client, kind: PODS, fieldSelector: `spec.nodeName=${nodeName}`, clock, logger });
  const events = new EventRecorder({ client, component: 'kubelet', instance: nodeName, clock, logger });
  const addresses = new PodAddresses({ claim: claimAddress, random });
  const shared = { client, hostIp: HOST_IP, images, apiServer, events, clock, logger };
  const pods = new Pods({ ...shared, pods: cache, addresses, directory });

  const certificate = await issueServerCertificate({
    names: [nodeName, 'localhost', HOST_IP],
    now: clock.now(),
  });
  const logs = await startLogServer({
    host: HOST_IP,
    certificate: certificate.cert,
    key: certificate.key,
    find: (pod, container, previous) => pods.findLog(pod, container, previous),
    clock,
    logger,
  });
  await registerNode({ client, name: nodeName, hostIp: HOST_IP, kubeletPort: logs.port, now: clock.now() });
  const running = cache.run(stop.signal);
  await cache.synced();
  await removeOthers(directory, new Set(cache.list().map(({ metadata }) => metadata.uid)));
  await pods.start();

  return {
    nodeName,
    async close() {
      stop.abort();
      await running;
      await pods.close(closeGrace);
      await events.flush();
      await logs.close();
    },
  };
}

/** Removes the folders of pods that no longer exist. */
async function removeOthers(directory: string, uids: ReadonlySet<string | undefined>): Promise<void> {
  const others = (await readdir(directory)).filter((uid) => !uids.has(uid));
  await Promise.all(others.map((uid) => rm(join(directory, uid), { recursive: true, force: true })));
}

export interface NodeOptions {
  client: KubeClient;
  name: string;
  hostIp: string;
  /** Of the log server. */
  kubeletPort: number;
  now: number;
}

type NodeStatus = NonNullable<Node['status']>;

/** Registers this machine as a node, or takes over the node of an earlier kubelet. */
async function registerNode(options: NodeOptions): Promise<void> {
  const { client, name } = options;
  const architecture = arch() === 'x64' ? 'amd64' : arch();
  const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': architecture };
  const status = statusOf(options, architecture);
  const node: Draft<Node> = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: {}, status };
  try {
    await client.create(NODES, node);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  await client.patch(NODES, { name }, 'merge', { status }, { subresource: 'status' });
}

function statusOf({ name, hostIp, kubeletPort, now }: NodeOptions, architecture: string): NodeStatus {
  const time = timestamp(now);
  const capacity = { cpu: String(cpus().length), memory: `${Math.floor(totalmem() / 1024)}Ki`, pods: '1000' };
  return {
    capacity,
    allocatable: capacity,
    addresses: [
      { type: 'InternalIP', address: hostIp },
      { type: 'Hostname', address: name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'KubeletReady',
        message: 'kubelet is posting ready status',
        lastHeartbeatTime: time,
        lastTransitionTime: time,
      },
    ],
    nodeInfo: {
      architecture,
      operatingSystem: 'linux',
      osImage: 'Groundcrew sandbox',
      kubeletVersion: 'v1.34.0-groundcrew',
      kubeProxyVersion: '',
      containerRuntimeVersion: `process://${process.versions.node}`,
      kernelVersion: '',
      bootID: '',
      machineID: '',
      systemUUID: '',
    },
  };
}
