export { assignedMacs, type VirtualMachineInputs } from './assigned-macs.ts';
