import type { VirtualMachineBMC } from '../../api/index.ts';
import type { Cache } from '../../kube/index.ts';
import { networkBootController } from '../networkboot/index.ts';
import { createNetworkCaches } from '../networks/index.ts';
import { BMCS_BY_VIRTUAL_MACHINE } from '../virtualmachinebmc/index.ts';
import type { Surroundings } from './surroundings.ts';

/** Adds the controllers of pools, leases and all that asks for one. */
export function addNetworkControllers(surroundings: Surroundings, bmcs: Cache<VirtualMachineBMC>): void {
  const { runtime } = surroundings;
  const caches = createNetworkCaches(surroundings);
  for (const cache of caches.all) runtime.addCache(cache);
  runtime.addController(
    networkBootController({
      ...surroundings,
      caches,
      bmcs: { cache: bmcs, byVirtualMachine: BMCS_BY_VIRTUAL_MACHINE },
    }),
  );
}
