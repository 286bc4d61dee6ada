import {
  agentName,
  BMC_CONDITIONS,
  credentialsSecretName,
  IP_POOLS,
  LABELS,
  labelValue,
  NETWORK_CONFIG_CONDITIONS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  type VirtualMachineBMC,
  type VirtualMachineNetworkConfig,
} from '../../api/index.ts';
import {
  CachedWatch,
  PODS,
  SECRETS,
  systemClock,
  findCondition,
  type Logger,
  type Pod,
} from '@groundcrew/controller-runtime';
import type { EmbeddedCluster } from '@groundcrew/kubevirt-simulator';
import { agentOf, isHeldUp, isServed, poolEndpointOf, type SeenPool } from './pool-endpoints.ts';
import { untilSettled, type ReadyBmc, type ReadyPool } from './until-settled.ts';

/** An object that is not ready, with the message of its conditions. */
export interface Trouble {
  name: string;
  message: string;
}

/** The usable endpoints with all data that a client needs, and the objects that are not ready. */
export interface Endpoints {
  bmcs: ReadyBmc[];
  pools: ReadyPool[];
  /** Addresses from pools by VM (`namespace/name`). */
  addresses: ReadonlyMap<string, readonly string[]>;
  troubles: Trouble[];
}

type BmcEndpoint = { bmc: ReadyBmc; trouble?: undefined } | { bmc?: undefined; trouble: Trouble };

export interface AwaitOptions {
  /** Maximum wait in milliseconds. */
  timeout: number;
  signal: AbortSignal;
  logger: Logger;
  /** Called with the number of ready BMCs and pools, and their total number. */
  onProgress: (ready: number, all: number) => void;
}

/** Milliseconds before a missing reference counts: the manager may see a BMC before it sees the VM. */
const PATIENCE = 1500;

/** Label selector for the pods of all agents. */
const AGENTS = `${LABELS.component} in (bmc-agent,dhcp-agent)`;

/**
 * Waits until every BMC and every pool is Ready or needs action by the user, then reads the endpoints and credentials.
 */
export async function awaitEndpoints(
  cluster: EmbeddedCluster,
  { timeout, signal, logger, onProgress }: AwaitOptions,
): Promise<Endpoints> {
  const started = Date.now();
  const reading = { client: cluster.client, clock: systemClock, logger };
  const bmcs = new CachedWatch({ ...reading, kind: VIRTUAL_MACHINE_BMCS });
  const pools = new CachedWatch({ ...reading, kind: IP_POOLS });
  const configs = new CachedWatch({ ...reading, kind: VIRTUAL_MACHINE_NETWORK_CONFIGS });
  const agents = new CachedWatch({ ...reading, kind: PODS, labelSelector: AGENTS });
  const seen = (): SeenPool[] => pools.list().map((pool) => ({ pool, agent: agentOf(pool, agents) }));
  // After a restore, the Ready condition of a BMC is stale until the manager has reconciled it.
  const isUp = (bmc: VirtualMachineBMC): boolean => isReady(bmc) && agents.list().some((pod) => isReadyAgent(pod, bmc));
  await untilSettled([bmcs, pools, configs, agents], signal, () => {
    const waited = Date.now() - started;
    const isLate = waited > PATIENCE;
    const ready = bmcs.list().filter(isUp).length + seen().filter(isServed).length;
    onProgress(ready, bmcs.list().length + pools.list().length);
    const areSettled =
      bmcs.list().every((bmc) => isUp(bmc) || (isLate && needsPerson(bmc))) &&
      seen().every((pool) => isServed(pool) || (isLate && isHeldUp(pool))) &&
      (isLate || configs.list().every(isAllocated));
    return areSettled || waited > timeout ? 0 : (isLate ? timeout : PATIENCE) - waited + 1;
  });
  return { ...(await endpointsOf(cluster, bmcs.list(), seen())), addresses: addressesIn(configs.list()) };
}

async function endpointsOf(
  cluster: EmbeddedCluster,
  bmcs: readonly VirtualMachineBMC[],
  pools: readonly SeenPool[],
): Promise<Omit<Endpoints, 'addresses'>> {
  const served = pools.map(poolEndpointOf);
  const reached = await Promise.all(bmcs.map((bmc) => endpointOf(cluster, bmc)));
  return {
    bmcs: reached.flatMap(({ bmc }) => (bmc === undefined ? [] : [bmc])),
    pools: served.flatMap(({ pool }) => (pool === undefined ? [] : [pool])),
    troubles: [...reached, ...served].flatMap(({ trouble }) => (trouble === undefined ? [] : [trouble])),
  };
}

function isAllocated({ status }: VirtualMachineNetworkConfig): boolean {
  const { allocated } = NETWORK_CONFIG_CONDITIONS;
  return status?.conditions?.some((condition) => condition.type === allocated && condition.status === 'True') === true;
}

function addressesIn(configs: readonly VirtualMachineNetworkConfig[]): Map<string, string[]> {
  const addresses = new Map<string, string[]>();
  for (const { metadata, spec, status } of configs) {
    const key = `${metadata.namespace ?? ''}/${spec.vmName}`;
    const own = (status?.networkConfigs ?? []).flatMap(({ allocatedIPAddress = '' }) => allocatedIPAddress || []);
    addresses.set(key, [...(addresses.get(key) ?? []), ...own]);
  }
  return addresses;
}

function isReady(bmc: VirtualMachineBMC): boolean {
  return findCondition(bmc.status?.conditions, BMC_CONDITIONS.ready)?.status === 'True';
}

function isReadyAgent({ metadata, status }: Pod, bmc: VirtualMachineBMC): boolean {
  if (metadata.namespace !== bmc.metadata.namespace || metadata.deletionTimestamp !== undefined) return false;
  if (metadata.labels?.[LABELS.bmc] !== labelValue(bmc.metadata.name)) return false;
  return status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
}

/** The referenced object does not exist, so waiting does not help. */
function needsPerson(bmc: VirtualMachineBMC): boolean {
  const references = [BMC_CONDITIONS.virtualMachineAvailable, BMC_CONDITIONS.secretAvailable];
  return references.some((type) => findCondition(bmc.status?.conditions, type)?.status === 'False');
}

async function endpointOf({ client, services }: EmbeddedCluster, bmc: VirtualMachineBMC): Promise<BmcEndpoint> {
  const { name, namespace = 'default' } = bmc.metadata;
  const ready = findCondition(bmc.status?.conditions, BMC_CONDITIONS.ready);
  const secretName = bmc.spec.authSecretRef?.name ?? credentialsSecretName(name);
  const secret = await client.find(SECRETS, { namespace, name: secretName });
  if (ready?.status !== 'True' || secret?.data === undefined) {
    return { trouble: { name: `${namespace}/${name}`, message: ready?.message ?? 'the manager has not looked at it' } };
  }
  const service = { namespace, name: agentName(bmc.spec.virtualMachineRef.name) };
  const ipmi = bmc.status?.endpoints?.ipmi === undefined ? undefined : services.addressOf(service, 'ipmi');
  const redfish = services.addressOf(service, 'redfish');
  return {
    bmc: {
      namespace,
      name,
      virtualMachine: bmc.spec.virtualMachineRef.name,
      ...(ipmi === undefined ? {} : { ipmi }),
      ...(redfish === undefined ? {} : { redfish: `https://${redfish.host}:${redfish.port}` }),
      username: decode(secret.data['username']),
      password: decode(secret.data['password']),
    },
  };
}

function decode(base64: string | undefined): string {
  return Buffer.from(base64 ?? '', 'base64').toString('utf8');
}
