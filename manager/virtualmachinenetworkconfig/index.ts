export { virtualMachineNetworkConfigControllers, type NetworkConfigControllerOptions } from './controller.ts';
