export { bootDevicesOf, type BootOrders, type BootTarget } from './boot-devices.ts';
export * from './boot-order.ts';
export {
  bootModeOf,
  bootModePatch,
  carriesSecureBoot,
  FIRMWARE_MODES,
  firmwareOf,
  secureBootOf,
  secureBootPatch,
  type FirmwareMode,
} from './firmware.ts';
export * from './implied-devices.ts';
export * from './media-drive.ts';
export * from './power-state.ts';
export {
  carriesFirmwareSetup,
  carriesHttpBoot,
  FIRMWARE_SETUP_ANNOTATION,
  firmwareSetupOf,
  HTTP_BOOT_ANNOTATION,
  httpBootOf,
  type FirmwareSetup,
  type HttpBoot,
  type JsonPatchOp,
  unchangedSince,
} from './template-notes.ts';
export * from './virtual-machine-instance.ts';
export * from './virtual-machine.ts';
export * from './vm-notes.ts';
