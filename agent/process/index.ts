export { inClusterConfig } from './in-cluster-config.ts';
export { runProcess, type AgentProcessOptions } from './run-process.ts';
