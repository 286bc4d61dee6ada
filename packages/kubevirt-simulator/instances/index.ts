export { PAUSED } from './instance-status.ts';
export type { InstanceView, Step } from './instance-decision.ts';
export { InstanceController } from './instance-controller.ts';
