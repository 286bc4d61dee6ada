export { EventRecorder, type EventRecorderOptions } from './event-recorder.ts';
export type { EventType } from './correlator.ts';
