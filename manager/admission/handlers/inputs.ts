import {
  formatIpv4,
  isReleased,
  leaseName,
  parseIpv4Cidr,
  type IPPool,
  type VirtualMachineBMC,
  type VirtualMachineNetworkConfig,
} from '../../../api/index.ts';
import { keyOf, refOf, ApiError, type Kind, type KubeObject } from '@groundcrew/controller-runtime';
import { BY_MAC, BY_POOL, macKey, networkOfPool, networkRef, podIpamOf, wireOf } from '../../networks/index.ts';
import type { AdmissionOptions } from '../options.ts';
import type { BmcInputs } from '../rules/bmc-rules.ts';
import type { ClusterRange, PoolInputs } from '../rules/pool-inputs.ts';
import type { ConfigInputs } from '../rules/config-inputs.ts';

type Sources = Pick<AdmissionOptions, 'caches' | 'bmcs' | 'clusterRanges' | 'namePolicy' | 'bmcDefaults'>;

/** Inputs of the IPPool rules, from caches. Conditions catch what a stale cache misses. */
export function poolInputs(pool: IPPool, { caches, clusterRanges = [] }: Sources): PoolInputs {
  const network = networkOfPool(pool);
  const attachment = caches.networks.get(networkRef(network));
  return {
    others: poolsOf(network, caches).filter((other) => keyOf(other.metadata) !== keyOf(pool.metadata)),
    onSameWire: poolsOnWire(pool, caches),
    leases: caches.leases.byIndex(BY_POOL, keyOf(refOf(pool))).filter((lease) => !isReleased(lease)),
    networkExists: caches.hasMultus() ? attachment !== undefined : undefined,
    podIpam: attachment === undefined ? undefined : podIpamOf(attachment),
    isAllowed: caches.mayServe(pool),
    clusterRanges: rangesOf(clusterRanges),
  };
}

/** Inputs of the VirtualMachineNetworkConfig rules. */
export function configInputs({ metadata }: VirtualMachineNetworkConfig, { caches }: Sources): ConfigInputs {
  const own = keyOf({ namespace: metadata.namespace ?? '', name: metadata.name });
  return {
    poolsOf: (network) => poolsOf(network, caches),
    leaseAt: (pool, address) =>
      caches.leases.get({
        namespace: pool.metadata.namespace ?? '',
        name: leaseName(pool.metadata.name, formatIpv4(address)),
      }),
    othersWithMac: (network, mac) =>
      caches.configs.byIndex(BY_MAC, macKey(network, mac)).filter((other) => keyOf(refOf(other)) !== own),
  };
}

/** Inputs of the VirtualMachineBMC rules. */
export function bmcInputs(
  { metadata, spec }: VirtualMachineBMC,
  { bmcs, namePolicy, bmcDefaults }: Sources,
): BmcInputs {
  const namespace = metadata.namespace ?? '';
  return {
    namePolicy,
    bmcDefaults,
    rivals: bmcs.cache
      .byIndex(bmcs.byVirtualMachine, `${namespace}/${spec.virtualMachineRef.name}`)
      .filter((other) => other.metadata.name !== metadata.name),
  };
}

/** Whether the network has a pool that is not being deleted. */
export function hasPool(network: string, caches: AdmissionOptions['caches']): boolean {
  return poolsOf(network, caches).length > 0;
}

function poolsOf(network: string, caches: AdmissionOptions['caches']): readonly IPPool[] {
  return caches.poolsOn(network).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/**
 * Only of the pool's namespace: a tenant must not find out by creating pools which addresses others have. DHCP agents see
 * servers of other namespaces at work and report them.
 */
function poolsOnWire(pool: IPPool, caches: AdmissionOptions['caches']): readonly IPPool[] {
  const own = caches.networks.get(networkRef(networkOfPool(pool)));
  const wire = own === undefined ? undefined : wireOf(own);
  const { namespace = '' } = pool.metadata;
  if (wire === undefined || own?.metadata.namespace !== namespace) return [];
  return caches.networks
    .list(namespace)
    .filter((network) => network !== own && wireOf(network) === wire)
    .flatMap((network) => poolsOf(keyOf(network.metadata), caches))
    .filter((other) => other.metadata.namespace === namespace);
}

function rangesOf(texts: readonly string[]): ClusterRange[] {
  return [...new Set(texts)].flatMap((text) => {
    const cidr = parseIpv4Cidr(text);
    return cidr === undefined ? [] : [{ ...cidr, text }];
  });
}

interface ServiceCidr extends KubeObject {
  spec?: { cidrs?: string[] };
}

const SERVICE_CIDRS: Kind<ServiceCidr> = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'ServiceCIDR',
  plural: 'servicecidrs',
  namespaced: false,
};

/**
 * The addresses of the cluster's Services as CIDRs, from the ServiceCIDR API (Kubernetes 1.33 or later). Empty if the
 * API is not available: the result is used only for a warning. Never throws.
 */
export async function serviceRanges(
  { client, logger }: Pick<AdmissionOptions, 'client' | 'logger'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const { items } = await client.list(SERVICE_CIDRS, { limit: 100, signal });
    return items.flatMap(({ spec }) => spec?.cidrs ?? []);
  } catch (error) {
    if (!(error instanceof ApiError && [403, 404].includes(error.status)))
      logger.debug({ err: error }, 'the addresses of Services are not known');
    return [];
  }
}
