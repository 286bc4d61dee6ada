export { agentStatusOf, BmcStatus, FIELD_MANAGER, type AgentStatus, type BmcStatusOptions } from './bmc-status.ts';
