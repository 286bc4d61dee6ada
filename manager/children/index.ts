export { agentSettings, type AgentOverrides, type AgentSettings } from './agent-settings.ts';
export { isApplied, stamped } from './applied.ts';
export { digest } from './digest.ts';
export { isRefusal } from './refusal.ts';
export { writtenResources } from './resources.ts';
