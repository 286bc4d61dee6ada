import type { Controller } from '@groundcrew/controller-runtime';
import { networkBootController, overrideNotHeldController, type NetworkBootOptions } from './controllers.ts';

/** The controllers that connect the BMC's boot overrides with the DHCP answers for the same VM. */
export function networkBootControllers(options: NetworkBootOptions): Controller[] {
  return [networkBootController(options), overrideNotHeldController(options)];
}
