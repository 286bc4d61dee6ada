export { type MachineCall, MemoryMachine } from './memory-machine.ts';
