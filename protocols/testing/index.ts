export { memoryAccount, MemoryAccounts } from './memory-accounts.ts';
export { MemoryConsole } from './memory-console.ts';
export { MemoryEventLog } from './memory-event-log.ts';
export { type MachineCall, MemoryMachine } from './memory-machine.ts';
export { MemoryMedia } from './memory-media.ts';
export { MemoryRedfishState } from './memory-redfish-state.ts';
export { MemorySettings } from './memory-settings.ts';
