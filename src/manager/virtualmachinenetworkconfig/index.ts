export { virtualMachineNetworkConfigController, type NetworkConfigControllerOptions } from './controller.ts';
