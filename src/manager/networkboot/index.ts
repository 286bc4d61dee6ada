export { networkBootController, type NetworkBootOptions } from './network-boot-controller.ts';
