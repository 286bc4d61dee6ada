import {
  agentName,
  BMC_CONDITIONS,
  credentialsSecretName,
  LABELS,
  labelValue,
  VIRTUAL_MACHINE_BMCS,
  type VirtualMachineBMC,
} from '../../api/index.ts';
import { PODS, SECRETS, type Pod } from '../../kube/index.ts';
import type { EmbeddedCluster } from '../../sandbox/index.ts';
import type { ReadyBmc } from './ready.ts';

/** A BMC that is up, with all that a client needs; or one that is not, and what its conditions say. */
export type Endpoint =
  { bmc: ReadyBmc; trouble?: undefined } | { bmc?: undefined; trouble: { name: string; message: string } };

/** How often the cluster is asked while it comes up, in milliseconds. */
const POLL = 25;

/** Milliseconds that something may be missing before it counts: the manager may hear of a BMC before it hears of its VM. */
const PATIENCE = 1500;

/**
 * Waits until every BMC is Ready or is known to need a person's help, at most `timeout` milliseconds,
 * and reads the endpoints and credentials.
 */
export async function awaitEndpoints(
  cluster: EmbeddedCluster,
  timeout: number,
  signal: AbortSignal,
): Promise<Endpoint[]> {
  const started = Date.now();
  for (;;) {
    signal.throwIfAborted();
    const bmcs = (await cluster.client.list(VIRTUAL_MACHINE_BMCS)).items;
    const agents = (await cluster.client.list(PODS, { labelSelector: `${LABELS.component}=bmc-agent` })).items;
    const waited = Date.now() - started;
    // In a sandbox that comes back, a BMC reads Ready as it was left until the manager has looked at it.
    const isUp = (bmc: VirtualMachineBMC): boolean => isReady(bmc) && agents.some((pod) => isReadyAgent(pod, bmc));
    if (waited > timeout || bmcs.every((bmc) => isUp(bmc) || (waited > PATIENCE && needsPerson(bmc)))) {
      return await Promise.all(bmcs.map((bmc) => endpointOf(cluster, bmc)));
    }
    await new Promise((resolve) => setTimeout(resolve, POLL));
  }
}

function conditionOf(bmc: VirtualMachineBMC, type: string): { status: string; message: string } | undefined {
  return bmc.status?.conditions?.find((condition) => condition.type === type);
}

function isReady(bmc: VirtualMachineBMC): boolean {
  return conditionOf(bmc, BMC_CONDITIONS.ready)?.status === 'True';
}

function isReadyAgent({ metadata, status }: Pod, bmc: VirtualMachineBMC): boolean {
  if (metadata.namespace !== bmc.metadata.namespace || metadata.deletionTimestamp !== undefined) return false;
  if (metadata.labels?.[LABELS.bmc] !== labelValue(bmc.metadata.name)) return false;
  return status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
}

/** What it refers to is not there: nothing changes by waiting. */
function needsPerson(bmc: VirtualMachineBMC): boolean {
  const references = [BMC_CONDITIONS.virtualMachineAvailable, BMC_CONDITIONS.secretAvailable];
  return references.some((type) => conditionOf(bmc, type)?.status === 'False');
}

async function endpointOf({ client, services }: EmbeddedCluster, bmc: VirtualMachineBMC): Promise<Endpoint> {
  const { name, namespace = 'default' } = bmc.metadata;
  const ready = conditionOf(bmc, BMC_CONDITIONS.ready);
  const secretName = bmc.spec.authSecretRef?.name ?? credentialsSecretName(name);
  const secret = await client.find(SECRETS, { namespace, name: secretName });
  if (ready?.status !== 'True' || secret?.data === undefined) {
    return { trouble: { name: `${namespace}/${name}`, message: ready?.message ?? 'the manager has not looked at it' } };
  }
  const ipmi = services.addressOf({ namespace, name: agentName(bmc.spec.virtualMachineRef.name) }, 'ipmi');
  return {
    bmc: {
      namespace,
      name,
      virtualMachine: bmc.spec.virtualMachineRef.name,
      ...(ipmi === undefined ? {} : { ipmi }),
      username: decode(secret.data['username']),
      password: decode(secret.data['password']),
    },
  };
}

function decode(base64: string | undefined): string {
  return Buffer.from(base64 ?? '', 'base64').toString('utf8');
}
