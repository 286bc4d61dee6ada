export { assignedMacs, type VirtualMachineFacts } from './assigned-macs.ts';
