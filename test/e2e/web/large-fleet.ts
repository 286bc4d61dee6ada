import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PODS, STATEFUL_SETS, type KubeClient } from '@groundcrew/controller-runtime';
import { LABELS, VIRTUAL_MACHINE_BMCS, type Condition, type VirtualMachineBMC } from '../../../api/index.ts';
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
  /** Lets the agent of a BMC fail. */
  breakBmc(name: string): Promise<void>;
  close(): Promise<void>;
}

/** @param count of BMCs `vm-1`, `vm-2`, … in one shared agent */
export async function startLargeFleet(count: number): Promise<LargeFleet> {
  const api = await embeddedServer();
  const folder = await mkdtemp(join(tmpdir(), 'groundcrew-fleet-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, tokenKubeconfig(api, 'token' in api.credentials ? api.credentials.token : ''));
  await createAgent(api.client);
  const names = Array.from({ length: count }, (_, index) => `vm-${index + 1}`);
  await inTurn(names, AT_ONCE, async (name) => {
    await api.client.create(VIRTUAL_MACHINE_BMCS, {
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata: { name, namespace: NAMESPACE },
      spec: { virtualMachineRef: { name } },
    });
    await setStatus(api.client, name, 'Ready', ready('True', 'AgentReady', 'The BMC answers.'));
  });
  return {
    kubeconfig,
    breakBmc: async (name) => {
      await setStatus(api.client, name, 'Degraded', ready('False', 'AgentFails', 'The agent does not answer.'));
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
  phase: NonNullable<VirtualMachineBMC['status']>['phase'],
  condition: Condition,
): Promise<void> {
  const endpoints = { ipmi: '10.0.0.1:623', redfish: 'https://10.0.0.1' };
  await client.patch(
    VIRTUAL_MACHINE_BMCS,
    { namespace: NAMESPACE, name },
    'merge',
    { status: { phase, observedGeneration: 1, agent: { name: AGENT }, endpoints, conditions: [condition] } },
    { subresource: 'status' },
  );
}

/** A shared agent whose pod acts. */
async function createAgent(client: KubeClient): Promise<void> {
  const labels = { [LABELS.component]: 'bmc-agent', [LABELS.sharedAgent]: AGENT, [LABELS.acting]: 'true' };
  const containers = [{ name: 'bmc', image: 'groundcrew' }];
  const metadata = { name: AGENT, namespace: NAMESPACE, labels };
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
