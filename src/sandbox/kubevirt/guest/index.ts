export { Guest, type Fate, type GuestOptions } from './guest.ts';
export { machineOf } from './machine.ts';
export { silentNetwork, type Network } from './network.ts';
