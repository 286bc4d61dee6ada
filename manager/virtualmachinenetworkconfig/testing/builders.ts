import {
  addressSpaceOf,
  LABELS,
  leaseName,
  parseIpv4,
  type IPLease,
  type IPPool,
  type PoolProblem,
  type VirtualMachineNetworkConfig,
  type VirtualMachineNetworkConfigSpec,
} from '../../../api/index.ts';
import { CLAIM } from '../claims.ts';
import { PoolAddresses } from '../../ipam/index.ts';
import type { Inputs, InterfaceInputs, LeaseInputs, PoolInputs, PoolStanding } from '../inputs.ts';

const NETWORK = 'vms/prod';
const LABEL = 'vms.prod';

/** A pool `vms/pool` of 10.0.0.10 to 10.0.0.19 on `vms/prod`; `given` overrides it. */
export function aPool(name = 'pool', given: Partial<NonNullable<IPPool['spec']['ipv4Config']>> = {}): IPPool {
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPPool',
    metadata: {
      namespace: 'vms',
      name,
      uid: `uid-of-${name}`,
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: {
      networkName: 'prod',
      ipv4Config: {
        cidr: '10.0.0.0/24',
        serverIP: '10.0.0.2',
        router: '10.0.0.1',
        pool: { start: '10.0.0.10', end: '10.0.0.19' },
        ...given,
      },
    },
  };
}

export function poolInputs(pool: IPPool, standing: PoolStanding = 'Gives', conflict?: PoolProblem): PoolInputs {
  const { space } = addressSpaceOf(pool.spec);
  return {
    pool,
    standing,
    ...(conflict === undefined ? {} : { conflict }),
    ...(space === undefined ? {} : { addresses: new PoolAddresses(pool, space, []) }),
  };
}

export interface LeaseFields {
  mac?: string;
  config?: string;
  vm?: string;
  pool?: string;
  created?: string;
  labels?: ('released' | 'retained')[];
  status?: IPLease['status'];
}

/** A lease of `pool` for the config `web` of the VM `web` with 52:54:00:00:00:01; `fields` overrides it. */
export function aLease(ipAddress: string, fields: LeaseFields = {}): IPLease {
  const { mac = '52:54:00:00:00:01', config = 'web', vm = 'web', pool = 'pool', labels = [], status } = fields;
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPLease',
    metadata: {
      namespace: 'vms',
      name: leaseName(pool, ipAddress),
      creationTimestamp: fields.created ?? '2026-01-01T00:00:00Z',
      labels: {
        [LABELS.ipPool]: pool,
        [LABELS.network]: LABEL,
        ...Object.fromEntries(labels.map((label) => [LABELS[label], 'true'])),
      },
    },
    spec: {
      ipAddress,
      macAddress: mac,
      vmNetworkConfigRef: { namespace: 'vms', name: config },
      vmRef: { namespace: 'vms', name: vm },
    },
    ...(status === undefined ? {} : { status }),
  };
}

function leaseInputs(lease: IPLease): LeaseInputs {
  return {
    lease,
    address: parseIpv4(lease.spec.ipAddress) ?? 0,
    mac: lease.spec.macAddress,
    network: LABEL,
    networkName: NETWORK,
  };
}

/** An interface on `vms/prod` with 52:54:00:00:00:01, whose network has one active pool; `given` overrides it. */
export function anInterface(given: Partial<InterfaceInputs> = {}): InterfaceInputs {
  const mac = given.mac ?? '52:54:00:00:00:01';
  return {
    networkName: NETWORK,
    macAddress: mac,
    network: NETWORK,
    label: LABEL,
    mac,
    isRepeated: false,
    claim: CLAIM.has,
    displaced: [],
    pools: [poolInputs(aPool())],
    ...given,
  };
}

export function aConfig(
  spec: Partial<VirtualMachineNetworkConfigSpec> = {},
  given: Partial<VirtualMachineNetworkConfig['metadata']> = {},
): VirtualMachineNetworkConfig {
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'VirtualMachineNetworkConfig',
    metadata: { namespace: 'vms', name: 'web', uid: 'uid-of-web', generation: 1, ...given },
    spec: { vmName: 'web', ...spec },
  };
}

/** Inputs with one interface and leases of the config, including those retained for its VM. */
export function inputs(
  interfaces: readonly InterfaceInputs[],
  leases: readonly IPLease[] = [],
  given: Partial<Inputs> = {},
): Inputs {
  const networkConfigs = interfaces.map(({ networkName, macAddress }) => ({ networkName, macAddress }));
  return {
    config: aConfig({ networkConfigs }),
    virtualMachine: 'vms/web',
    hasVirtualMachine: true,
    interfaces,
    leases: leases.filter(({ spec }) => spec.vmNetworkConfigRef?.name === 'web').map(leaseInputs),
    retained: leases
      .filter(({ metadata, spec }) => metadata.labels?.[LABELS.retained] !== undefined && spec.vmRef?.name === 'web')
      .map(leaseInputs),
    ...given,
  };
}
