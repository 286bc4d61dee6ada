export { ExpandedVm } from './expanded-vm.ts';
export { cpuCountOf, hardwareOf, memoryBytesOf } from './hardware-of.ts';
