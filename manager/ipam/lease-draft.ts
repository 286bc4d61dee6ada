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

/** The holder of a lease. */
export type Holder = Omit<IPLeaseSpec, 'ipAddress' | 'boot'>;

/** A lease to be created: it is named after the address and owned by its pool. */
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

/** The label of the network of a pool. */
export function networkLabelOfPool({ metadata, spec }: IPPool): string {
  return networkLabel(networkKey(spec.networkName, metadata.namespace ?? ''));
}
