import type { z } from 'zod';
import type { Kind, KubeObject } from './object.ts';
import type { ipLeaseSpec, ipLeaseStatus } from './schemas/ip-lease.ts';

/** An address of an IPPool that is leased to a MAC address; its name is `<pool>.<address>`. */
export interface IPLease extends KubeObject {
  spec: IPLeaseSpec;
  status?: IPLeaseStatus;
}

export type IPLeaseSpec = z.input<typeof ipLeaseSpec>;
export type IPLeaseStatus = z.input<typeof ipLeaseStatus>;

export const IP_LEASES: Kind<IPLease> = {
  group: 'network.harvesterhci.io',
  version: 'v1alpha1',
  kind: 'IPLease',
  plural: 'ipleases',
  namespaced: true,
};
