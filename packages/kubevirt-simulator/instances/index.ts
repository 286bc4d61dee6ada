export { endOfGuest, EVENTS, guestStatus, PAUSED, runningConditions } from './guest-state.ts';
export type { InstanceView, Step } from './instance-decision.ts';
export { InstanceController } from './instance-controller.ts';
