export { actingSelector, assignmentOf, type Assignment } from './assignment.ts';
export { Assignments } from './assignments.ts';
export { BY_SHARED_AGENT, createSharedAgentCaches, sharedAgentKeys, type SharedAgentCaches } from './caches.ts';
export { sampleSharedTemplate } from './children/stateful-set.ts';
export { sharedAgentController } from './controller.ts';
export { sharedFleet } from './fleet.ts';
export { credentialsLength, LONGEST_CREDENTIALS, memberText, type Member } from './members.ts';
export { SharedAgents, type SharedAgentState } from './shared-agents.ts';
