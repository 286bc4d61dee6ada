export { LeaseStatusWriter } from './lease-status-writer.ts';
export type { Happening } from './observation.ts';
