import { LABELS, leaseName, type IPLease, type IPPool, type IPPoolSpec } from '../../../api/index.ts';

type Ipv4Config = NonNullable<IPPoolSpec['ipv4Config']>;

export interface PoolFields extends Omit<Partial<IPPoolSpec>, 'ipv4Config'> {
  name?: string;
  namespace?: string;
  created?: string;
  deleted?: string;
  generation?: number;
  ipv4Config?: Partial<Ipv4Config>;
  status?: IPPool['status'];
}

/** The pool `vms/pool` of the network `vms/lan`: 10.0.0.10 to 10.0.0.19 of 10.0.0.0/24, server .2; `fields` overrides it. */
export function aPool(fields: PoolFields = {}): IPPool {
  const { name = 'pool', namespace = 'vms', created, deleted, generation = 1, ipv4Config, status, ...spec } = fields;
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPPool',
    metadata: {
      name,
      namespace,
      uid: `uid-of-${name}`,
      generation,
      resourceVersion: '1',
      creationTimestamp: created ?? '2026-01-01T00:00:00Z',
      ...(deleted === undefined ? {} : { deletionTimestamp: deleted }),
    },
    spec: {
      networkName: 'vms/lan',
      ...spec,
      ipv4Config: {
        cidr: '10.0.0.0/24',
        serverIP: '10.0.0.2',
        pool: { start: '10.0.0.10', end: '10.0.0.19' },
        ...ipv4Config,
      },
    },
    ...(status === undefined ? {} : { status }),
  };
}

/** A lease of the pool `vms/pool`; its MAC address ends with the last number of its address. */
export function aLease(ipAddress: string, fields: { released?: boolean; state?: 'Bound' | 'Declined' } = {}): IPLease {
  const octet = Number(ipAddress.split('.').at(-1)).toString(16).padStart(2, '0');
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPLease',
    metadata: {
      name: leaseName('pool', ipAddress),
      namespace: 'vms',
      labels: { [LABELS.ipPool]: 'pool', ...(fields.released === true ? { [LABELS.released]: 'true' } : {}) },
    },
    spec: { ipAddress, macAddress: `52:54:00:00:00:${octet}` },
    status: { state: fields.state ?? 'Bound' },
  };
}
