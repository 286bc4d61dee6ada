export { BmcMetrics } from './bmc-metrics.ts';
export { BmcSet } from './bmc-set.ts';
export { hostDependencies } from './host-dependencies.ts';
export { NamedWatches } from './objects/named-watches.ts';
export { RequestTraces } from './request-traces.ts';
export { tracedCalls } from './traced-calls.ts';
