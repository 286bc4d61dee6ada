import type { Controller } from '@groundcrew/controller-runtime';
import { networkBootController } from './network-boot-controller.ts';
import type { NetworkBootOptions } from './options.ts';
import { overrideNotHeldController } from './override-not-held-controller.ts';

/** The controllers that connect the BMC's boot overrides with the DHCP answers for the same VM. */
export function networkBootControllers(options: NetworkBootOptions): Controller[] {
  return [networkBootController(options), overrideNotHeldController(options)];
}
