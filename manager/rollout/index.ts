export { agentState, type Workload } from './agent-state.ts';
export { ChangedFacts } from './changed-facts.ts';
export { chooseDraft } from './choose-draft.ts';
export type { AgentFact } from './decide-rollout.ts';
export { Gate, type FleetSettings, type Turn } from './gate.ts';
export { readNote } from './note.ts';
export { maxUnavailableOf, ROLLOUT_DEFAULTS, type RolloutDefaults } from './policy.ts';
export { Rollout, type Fleet } from './rollout.ts';
