export { runStrategyOf } from './run-strategy.ts';
export { VirtualMachineController } from './virtual-machine-controller.ts';
