import { arch, cpus, totalmem } from 'node:os';
import {
  isAlreadyExists,
  NODES,
  timestamp,
  type Draft,
  type KubeClient,
  type Node,
} from '@groundcrew/controller-runtime';

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
export async function registerNode(options: NodeOptions): Promise<void> {
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
