export { agentClient } from './agent-parts.ts';
export { BmcMetrics } from './bmc-metrics.ts';
export { dedicatedSet } from './dedicated-set.ts';
export { SharedAgent, type SharedSetOptions } from './shared/shared-agent.ts';
export { hostDependencies } from './host-dependencies.ts';
export { NamedWatches } from './objects/named-watches.ts';
export { CheckRounds } from './servers/check-rounds.ts';
export { RequestTraces } from './request-traces.ts';
export { tracedCalls } from './traced-calls.ts';
