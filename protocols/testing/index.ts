export { memoryAccount, MemoryAccounts } from './memory-accounts.ts';
export { MemoryConsole } from './memory-console.ts';
export { MemoryDisplay } from './memory-display.ts';
export { MemoryEventLog } from './memory-event-log.ts';
export { type MachineCall, MemoryMachine } from './memory-machine.ts';
export { MemoryMedia } from './memory-machine.ts';
export { MemoryRedfishState } from './memory-state.ts';
export { MemorySettings } from './memory-state.ts';
