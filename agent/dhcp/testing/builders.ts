import {
  formatIpv4,
  IP_LEASES,
  IP_POOLS,
  LABELS,
  leaseName,
  networkLabel,
  type IPLease,
  type IPPool,
  type IPPoolSpec,
} from '../../../api/index.ts';
import { collectionPath } from '@groundcrew/controller-runtime';

export const NETWORK = 'default/vlan10';

/** Collection paths of pools and leases. */
export const POOLS = collectionPath(IP_POOLS, 'default');
export const LEASES = collectionPath(IP_LEASES, 'default');

export function pool(
  config: Partial<NonNullable<IPPoolSpec['ipv4Config']>> = {},
  {
    name = 'prod',
    created = '2026-01-01T00:00:00Z',
    ...spec
  }: Partial<IPPoolSpec> & { name?: string; created?: string } = {},
): IPPool {
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPPool',
    metadata: { namespace: 'default', name, uid: `uid-${name}`, resourceVersion: '1', creationTimestamp: created },
    spec: {
      networkName: NETWORK,
      ...spec,
      ipv4Config: {
        cidr: '10.0.0.0/24',
        serverIP: '10.0.0.2',
        pool: { start: '10.0.0.10', end: '10.0.0.200' },
        ...config,
      },
    },
  };
}

/** A lease of 10.0.0.<index> for 02:00:00:00:00:<index>. */
export function lease(
  index: number,
  {
    uid = `uid-${index}`,
    created = '2026-01-01T00:00:00Z',
    poolName = 'prod',
    status,
    ...spec
  }: Partial<IPLease['spec']> & {
    uid?: string;
    created?: string;
    poolName?: string;
    status?: IPLease['status'];
  } = {},
): IPLease {
  const ipAddress = formatIpv4(0x0a000000 + index);
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPLease',
    metadata: {
      namespace: 'default',
      name: leaseName(poolName, ipAddress),
      uid,
      resourceVersion: '1',
      creationTimestamp: created,
      labels: { [LABELS.ipPool]: poolName, [LABELS.network]: networkLabel(NETWORK) },
    },
    spec: { ipAddress, macAddress: macText(index), ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

/** MAC address of the lease with that index, as a number. */
export function mac(index: number): number {
  return 0x020000000000 + index;
}

export function macText(index: number): string {
  return `02:00:00:00:00:${index.toString(16).padStart(2, '0')}`;
}
