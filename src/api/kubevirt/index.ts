export { amountOf } from './amount-of.ts';
export * from './boot-order.ts';
export type { BootTarget } from './boot-devices.ts';
export { CONSOLE_PROTOCOL, consolePath } from './console.ts';
export { FIRMWARE_MODES, firmwareOf, type FirmwareMode } from './firmware.ts';
export type { JsonPatchOp } from './json-patch-op.ts';
export * from './power-state.ts';
export * from './virtual-machine.ts';
export * from './virtual-machine-instance.ts';
