export * from './boot-order.ts';
export { bootDevicesOf, type BootOrders, type BootTarget } from './boot-devices.ts';
export { CONSOLE_PROTOCOL, consolePath } from './console.ts';
export {
  carriesFirmwareSetup,
  FIRMWARE_SETUP_ANNOTATION,
  firmwareSetupOf,
  type FirmwareSetup,
} from './firmware-setup.ts';
export { FIRMWARE_MODES, firmwareOf, type FirmwareMode } from './firmware.ts';
export { carriesHttpBoot, HTTP_BOOT_ANNOTATION, httpBootOf, type HttpBoot } from './http-boot.ts';
export * from './implied-devices.ts';
export type { JsonPatchOp } from './json-patch-op.ts';
export * from './media-drive.ts';
export * from './power-state.ts';
export * from './secure-boot.ts';
export * from './virtual-machine.ts';
export * from './virtual-machine-instance.ts';
