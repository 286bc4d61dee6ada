import type { IPLease, IPPool, IPPoolSpec, VirtualMachineNetworkConfig } from '../../../api/index.ts';
import type { ConfigInputs } from '../rules/config-inputs.ts';
import type { PoolInputs } from '../rules/pool-inputs.ts';

type Config = NonNullable<IPPoolSpec['ipv4Config']>;

/** A pool with 10.9.0.10 to 10.9.0.99 of 10.9.0.0/24 on `default/lan`; `config` overrides its fields. */
export function aPool(config: Partial<Config> = {}, metadata: Partial<IPPool['metadata']> = {}): IPPool {
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPPool',
    metadata: { name: 'lan', namespace: 'default', uid: 'pool-1', ...metadata },
    spec: {
      networkName: 'lan',
      ipv4Config: {
        cidr: '10.9.0.0/24',
        serverIP: '10.9.0.2',
        router: '10.9.0.1',
        pool: { start: '10.9.0.10', end: '10.9.0.99' },
        ...config,
      },
    },
  };
}

/** A lease of that pool for the VM `web`. */
export function aLease(ipAddress: string, labels: Record<string, string> = {}): IPLease {
  const ref = { namespace: 'default', name: 'web' };
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPLease',
    metadata: { name: `lan.${ipAddress}`, namespace: 'default', labels },
    spec: { ipAddress, macAddress: '02:00:00:00:00:0a', vmNetworkConfigRef: ref, vmRef: ref },
  };
}

/** A config of the VM with that name. */
export function aConfig(name: string, ...networkConfigs: Entry[]): VirtualMachineNetworkConfig {
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'VirtualMachineNetworkConfig',
    metadata: { name, namespace: 'default' },
    spec: { vmName: name, networkConfigs },
  };
}

type Entry = NonNullable<VirtualMachineNetworkConfig['spec']['networkConfigs']>[number];

/** Inputs with an existing network and no other objects. */
export function poolInputs(change: Partial<PoolInputs> = {}): PoolInputs {
  return {
    others: [],
    onSameWire: [],
    leases: [],
    networkExists: true,
    podIpam: undefined,
    isAllowed: true,
    clusterRanges: [],
    ...change,
  };
}

/** Inputs with pools on `default/lan` and their leases. */
export function configInputs(pools: readonly IPPool[], leases: readonly IPLease[] = []): ConfigInputs {
  return {
    poolsOf: (network) => (network === 'default/lan' ? pools : []),
    leaseAt: (pool, address) =>
      leases.find(({ metadata }) => metadata.name === `${pool.metadata.name}.${text(address)}`),
    othersWithMac: () => [],
  };
}

function text(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
}
