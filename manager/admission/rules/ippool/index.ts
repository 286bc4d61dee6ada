import { addressesParse } from './addresses-parse.ts';
import { clusterRanges } from './cluster-ranges.ts';
import { excluded } from './excluded.ts';
import type { PoolRule } from './inputs.ts';
import { furtherOptions } from './further-options.ts';
import { leasedAddresses } from './leased-addresses.ts';
import { nameServices } from './name-services.ts';
import { netboot } from './netboot.ts';
import { network } from './network.ts';
import { networkSize } from './network-size.ts';
import { ownAddresses } from './own-addresses.ts';
import { reservations } from './reservations.ts';
import { rivals } from './overlapping-pools.ts';
import { room } from './room.ts';
import { routes } from './routes.ts';
import { widening } from './widening.ts';

export { canonicalReservations } from './canonical-reservations.ts';
export { defaultAddresses } from './default-addresses.ts';
export type { ClusterRange, PoolInputs } from './inputs.ts';
export { inUse } from './in-use.ts';
export { holderOf } from './leased-addresses.ts';

/** The rules for a pool that is created or changed. */
export const POOL_RULES: readonly PoolRule[] = [
  addressesParse,
  networkSize,
  ownAddresses,
  room,
  rivals,
  widening,
  leasedAddresses,
  excluded,
  reservations,
  nameServices,
  routes,
  furtherOptions,
  netboot,
  clusterRanges,
  network,
];
