export { BASE_VERSION } from './base-registry.ts';
export { base, type BaseMessage } from './base.ts';
export { machineRefusal } from './machine-refusal.ts';
export { RedfishError, type Message } from './message.ts';
