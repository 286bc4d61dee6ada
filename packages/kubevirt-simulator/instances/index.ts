export { endOfGuest, EVENTS, PAUSED, runningConditions, startedStatus, withPhase } from './guest-state.ts';
export type { InstanceView, Step } from './instance-decision.ts';
export { InstanceController } from './instance-controller.ts';
