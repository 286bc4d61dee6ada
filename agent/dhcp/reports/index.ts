export { LeaseReports } from './lease-reports.ts';
export { SampledLog } from './sampled-log.ts';
