export { inClusterConfig } from './in-cluster-config.ts';
export { counter, exposition, gauge, type Family, type Sample } from './exposition.ts';
export { Histogram } from './histogram.ts';
export { PairCounts } from './pair-counts.ts';
export { processMetrics } from './process-metrics.ts';
export { runProcess, type AgentProcessOptions } from './run-process.ts';
