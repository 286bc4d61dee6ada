import type { Controller } from '@groundcrew/controller-runtime';
import { bmcNetworksController } from './bmc-networks.ts';
import { networkBootController, overrideNotHeldController, type NetworkBootOptions } from './controllers.ts';

/** The controllers that connect BMCs with the leases of the same VM: boot overrides, addresses. */
export function networkBootControllers(options: NetworkBootOptions): Controller[] {
  return [networkBootController(options), overrideNotHeldController(options), bmcNetworksController(options)];
}
