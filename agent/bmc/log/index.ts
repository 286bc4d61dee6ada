export { BmcEventLog } from './bmc-event-log.ts';
