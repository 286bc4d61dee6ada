export { memoryAccount, MemoryAccounts } from './memory-accounts.ts';
export { MemoryConsole } from './memory-console.ts';
export { MemoryEventLog } from './memory-event-log.ts';
export { type MachineCall, MemoryMachine } from './memory-machine.ts';
export { MemorySettings } from './memory-settings.ts';
