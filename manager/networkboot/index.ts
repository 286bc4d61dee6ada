import type { Controller } from '@groundcrew/controller-runtime';
import { networkBootController } from './network-boot-controller.ts';
import type { NetworkBootOptions } from './options.ts';
import { overrideNotHeldController } from './override-not-held-controller.ts';

/** The controllers that join the two ends of one machine: what its BMC was told to boot, and what DHCP answers it. */
export function networkBootControllers(options: NetworkBootOptions): Controller[] {
  return [networkBootController(options), overrideNotHeldController(options)];
}
