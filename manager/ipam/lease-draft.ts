import {
  formatIpv4,
  IP_POOLS,
  LABELS,
  leaseName,
  networkKey,
  networkLabel,
  type IPLease,
  type IPLeaseSpec,
  type IPPool,
  type Ipv4,
} from '../../api/index.ts';
import { apiVersionOf, type Draft } from '@groundcrew/controller-runtime';

/** Whom a lease is for. */
export type Holder = Omit<IPLeaseSpec, 'ipAddress' | 'boot'>;

/** A lease, to be created: its name is the address, and it goes when its pool goes. */
export function leaseDraft(pool: IPPool, address: Ipv4, holder: Holder): Draft<IPLease> {
  const ipAddress = formatIpv4(address);
  const { namespace = '', name, uid = '' } = pool.metadata;
  return {
    apiVersion: apiVersionOf(IP_POOLS),
    kind: 'IPLease',
    metadata: {
      namespace,
      name: leaseName(name, ipAddress),
      labels: { [LABELS.ipPool]: name, [LABELS.network]: networkLabelOfPool(pool) },
      ownerReferences: [{ apiVersion: apiVersionOf(IP_POOLS), kind: IP_POOLS.kind, name, uid, controller: true }],
    },
    spec: { ipAddress, ...holder },
  };
}

/** The label of the network that a pool serves. */
export function networkLabelOfPool({ metadata, spec }: IPPool): string {
  return networkLabel(networkKey(spec.networkName, metadata.namespace ?? ''));
}
