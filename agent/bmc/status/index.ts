export { agentStatusOf, BmcStatus, FIELD_MANAGER } from './bmc-status.ts';
