export { EventRing } from './event-ring.ts';
