export { BootOverrideControl } from './boot-override-control.ts';
export { describeOverride } from './describe-override.ts';
export { FirmwareSetup } from './firmware-setup.ts';
export type { OverrideVerdict } from './evaluate-override.ts';
