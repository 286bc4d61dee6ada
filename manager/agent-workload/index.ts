export { covers, digest, stamped } from './applied.ts';
export {
  agentSettings,
  refusedImage,
  type AgentDefaults,
  type AgentOverrides,
  type AgentSettings,
} from './settings.ts';
export {
  AGENT_CONTAINER,
  agentDeployment,
  agentImage,
  agentPod,
  agentRole,
  agentRoleBinding,
  agentServiceAccount,
  type AgentPod,
  isPodReady,
  podTrouble,
  trimmedPod,
  type WorkloadMetadata,
} from './workload.ts';
export { spreadApart } from './scheduling.ts';
export { ChildWriter, type Application, type Removal } from './write.ts';
