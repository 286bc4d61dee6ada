import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEPLOYMENTS, PODS, STATEFUL_SETS, type KubeClient } from '@groundcrew/controller-runtime';
import {
  agentName,
  ANNOTATIONS,
  LABELS,
  VIRTUAL_MACHINE_BMCS,
  type Condition,
  type VirtualMachineBMC,
} from '../../../api/index.ts';
import { embeddedServer } from '../../harness/embedded/server.ts';
import { inTurn } from '../../harness/in-turn.ts';
import { tokenKubeconfig } from '../../harness/kubeconfig.ts';

const NAMESPACE = 'default';
const AGENT = 'virtbmc-shared-0';
/** Requests at a time. */
const AT_ONCE = 16;

/** An API server with BMCs and nothing that serves them. */
export interface LargeFleet {
  /** Path of its kubeconfig. */
  readonly kubeconfig: string;
  readonly client: KubeClient;
  /** Lets the agent of a BMC fail. */
  breakBmc(name: string): Promise<void>;
  /** Gives a BMC an agent of its own, whose Deployment has no pods. */
  stopAgentOf(name: string): Promise<void>;
  close(): Promise<void>;
}

/** @param count of BMCs `vm-1`, `vm-2`, … in one shared agent */
export async function startLargeFleet(count: number): Promise<LargeFleet> {
  const api = await embeddedServer();
  const folder = await mkdtemp(join(tmpdir(), 'groundcrew-fleet-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, tokenKubeconfig(api, 'token' in api.credentials ? api.credentials.token : ''));
  await createAgent(api.client);
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  await inTurn(numbers, AT_ONCE, async (number) => {
    const name = `vm-${number}`;
    await api.client.create(VIRTUAL_MACHINE_BMCS, {
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata: { name, namespace: NAMESPACE },
      spec: { virtualMachineRef: { name } },
    });
    const address = `10.0.${number >> 8}.${number & 255}`;
    const endpoints = { ipmi: `${address}:623`, redfish: `https://${address}` };
    const conditions = [ready('True', 'AgentReady', 'The BMC answers.')];
    const agent = { name: AGENT };
    await setStatus(api.client, name, { phase: 'Ready', observedGeneration: 1, agent, endpoints, conditions });
  });
  return {
    kubeconfig,
    client: api.client,
    breakBmc: async (name) => {
      const conditions = [ready('False', 'AgentFails', 'The agent does not answer.')];
      await setStatus(api.client, name, { phase: 'Degraded', conditions });
    },
    stopAgentOf: async (name) => {
      const agent = agentName(name);
      await createDeployment(api.client, agent);
      await setStatus(api.client, name, { agent: { name: `${agent}-x` } });
    },
    close: async () => {
      await api.close();
      await rm(folder, { recursive: true });
    },
  };
}

function ready(status: 'True' | 'False', reason: string, message: string): Condition {
  return { type: 'AgentReady', status, reason, message, lastTransitionTime: new Date().toISOString() };
}

async function setStatus(
  client: KubeClient,
  name: string,
  status: Partial<NonNullable<VirtualMachineBMC['status']>>,
): Promise<void> {
  const ref = { namespace: NAMESPACE, name };
  await client.patch(VIRTUAL_MACHINE_BMCS, ref, 'merge', { status }, { subresource: 'status' });
}

/** With 0 pods. */
async function createDeployment(client: KubeClient, name: string): Promise<void> {
  const labels = { [LABELS.component]: 'bmc-agent' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'bmc', image: 'groundcrew' }] } };
  await client.create(DEPLOYMENTS, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: NAMESPACE, name, labels },
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  });
}

/** A shared agent whose pod acts. */
async function createAgent(client: KubeClient): Promise<void> {
  const labels = { [LABELS.component]: 'bmc-agent', [LABELS.sharedAgent]: AGENT, [LABELS.acting]: 'true' };
  const containers = [{ name: 'bmc', image: 'groundcrew' }];
  const annotations = { [ANNOTATIONS.sharedAgentCapacity]: '1024' };
  const metadata = { name: AGENT, namespace: NAMESPACE, labels, annotations };
  await client.create(STATEFUL_SETS, {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata,
    spec: {
      serviceName: 'none',
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  });
  const pod = `${AGENT}-0`;
  await client.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: pod, namespace: NAMESPACE, labels },
    spec: { containers },
  });
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: new Date().toISOString() }];
  const status = { phase: 'Running', conditions };
  await client.patch(PODS, { namespace: NAMESPACE, name: pod }, 'merge', { status }, { subresource: 'status' });
}
