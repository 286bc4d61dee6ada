export { digest, isApplied, stamped } from './applied.ts';
export { agentSettings, type AgentOverrides, type AgentSettings } from './settings.ts';
export {
  AGENT_CONTAINER,
  agentDeployment,
  agentPod,
  agentRole,
  agentRoleBinding,
  agentServiceAccount,
  type WorkloadMetadata,
} from './workload.ts';
export { ChildWriter, type Application, type Removal } from './write.ts';
export { agentImage, isPodReady, podTrouble } from './pods.ts';
