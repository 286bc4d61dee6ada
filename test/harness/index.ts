export { cluster, type Cluster } from './cluster.ts';
export type { ManagerOptions, RunningManager } from './manager.ts';
export type { StandInOptions, StandIns } from './stand-ins.ts';
export type { Outage } from './outage.ts';
export { eventually, type EventuallyOptions } from './eventually.ts';
export { readCustomResources } from './custom-resources.ts';
export { repository } from './repository.ts';
export { dryRunApply } from './dry-run.ts';
export { renderChart, type RenderOptions } from './chart.ts';
