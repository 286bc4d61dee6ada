export { base, BASE_VERSION, type BaseMessage } from './base.ts';
export { machineRefusal } from './machine-refusal.ts';
export { RedfishError, type Message } from './message.ts';
