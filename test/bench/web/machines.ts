import { VIRTUAL_MACHINE_INSTANCES, VIRTUAL_MACHINES, agentLabels, agentName } from '../../../api/index.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  DEPLOYMENTS,
  EVENTS,
  PODS,
  SERVICES,
  type Deployment,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Pod,
} from '@groundcrew/controller-runtime';
import { eventually } from '../../harness/eventually.ts';
import { inTurn } from '../../harness/in-turn.ts';

export const NAMESPACE = 'default';
/** Requests at a time. */
const AT_ONCE = 16;

/** Adds what the BMCs `vm-1`, `vm-2`, … of a large fleet have: a running machine, a Service, an Event, and an agent. */
export async function addMachines(client: KubeClient, count: number): Promise<void> {
  for (const kind of [VIRTUAL_MACHINES, VIRTUAL_MACHINE_INSTANCES]) await define(client, kind);
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  await inTurn(numbers, AT_ONCE, (number) => addMachine(client, number));
}

/** Makes a kind of KubeVirt known. */
async function define(client: KubeClient, of: Kind<KubeObject>): Promise<void> {
  const { group, version, kind, plural } = of;
  const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  await client.create(CUSTOM_RESOURCE_DEFINITIONS, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope: 'Namespaced', names: { plural, kind, singular: kind.toLowerCase() } },
      versions: [
        {
          ...{ name: version, served: true, storage: true },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: any, status: any } } },
        },
      ],
    },
  });
  await eventually(async () => {
    await client.list(of, { limit: 1 });
  });
}

async function addMachine(client: KubeClient, number: number): Promise<void> {
  const name = `vm-${number}`;
  const metadata = { namespace: NAMESPACE, name };
  const [high, low] = [Math.floor(number / 250), (number % 250) + 1];
  const macAddress = `02:00:00:00:${[high, low].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`;
  const spec = {
    domain: {
      memory: { guest: '4Gi' },
      cpu: { cores: 4 },
      devices: {
        disks: ['root', 'data'].map((disk) => ({ name: disk, disk: { bus: 'virtio' } })),
        interfaces: [{ name: 'lan', bridge: {}, macAddress }],
      },
    },
    networks: [{ name: 'lan', multus: { networkName: 'lan' } }],
    volumes: ['root', 'data'].map((disk) => ({ name: disk, persistentVolumeClaim: { claimName: `${name}-${disk}` } })),
  };
  await client.create(VIRTUAL_MACHINES, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata,
    spec: { runStrategy: 'Manual', template: { spec } },
  });
  const time = new Date().toISOString();
  await client.create(VIRTUAL_MACHINE_INSTANCES, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata,
    spec,
    status: {
      phase: 'Running',
      nodeName: `node-${high}`,
      interfaces: [{ name: 'lan', mac: macAddress, ipAddress: `10.1.${high}.${low}` }],
      conditions: ['Ready', 'LiveMigratable', 'AgentConnected'].map((type) => ({ type, status: 'True' })),
    },
  });
  const labels = agentLabels(name, name);
  const agent = { namespace: NAMESPACE, name: agentName(name), labels };
  await client.create(SERVICES, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: agent,
    spec: {
      selector: labels,
      ports: [
        { name: 'ipmi', port: 623, protocol: 'UDP' },
        { name: 'redfish', port: 443 },
      ],
    },
  });
  await client.create(EVENTS, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: NAMESPACE, name: `${name}.1` },
    involvedObject: { kind: 'VirtualMachineBMC', namespace: NAMESPACE, name },
    reason: 'PowerOn',
    type: 'Normal',
    message: `User admin asked from 10.9.${high}.${low} to power on: done.`,
    lastTimestamp: time,
  });
  await addAgent(client, agent, time);
}

async function addAgent(client: KubeClient, metadata: Agent, time: string): Promise<void> {
  const spec: NonNullable<Pod['spec']> = {
    containers: [
      {
        name: 'agent',
        image: 'registry.example.com/groundcrew:1.0.0',
        args: ['agent', 'bmc', `--namespace=${metadata.namespace}`, `--name=${metadata.name}`, '--log-level=info'],
        env: ['POD_NAME', 'POD_IP', 'NODE_NAME'].map((name) => ({ name, value: metadata.name })),
      },
    ],
  };
  const deployment: Deployment['spec'] = {
    replicas: 1,
    selector: { matchLabels: metadata.labels },
    template: { metadata: { labels: metadata.labels }, spec },
  };
  await client.create(DEPLOYMENTS, { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: deployment });
  const name = `${metadata.name}-x`;
  await client.create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name }, spec });
  const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
    ...{ type, status: 'True', lastTransitionTime: time },
  }));
  const container = { name: 'agent', image: 'groundcrew', imageID: 'sha256:0', ready: true, restartCount: 0 };
  const status = {
    ...{ phase: 'Running', conditions },
    containerStatuses: [{ ...container, state: { running: { startedAt: time } } }],
  };
  await client.patch(PODS, { namespace: metadata.namespace, name }, 'merge', { status }, { subresource: 'status' });
}

interface Agent {
  namespace: string;
  name: string;
  labels: Record<string, string>;
}
