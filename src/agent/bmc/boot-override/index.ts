export { BootOverrideControl } from './boot-override-control.ts';
export type { OverrideVerdict } from './judge-override.ts';
