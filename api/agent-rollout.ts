import type { z } from 'zod';
import { kindOf, type KubeObject } from './object.ts';
import type { agentRolloutSpec, agentRolloutStatus } from './schemas/agent-rollout.ts';

/** The roll-out of agents' images and settings: one object of the installation, in the manager's namespace. */
export interface AgentRollout extends KubeObject {
  spec: AgentRolloutSpec;
  status?: AgentRolloutStatus;
}

export type AgentRolloutSpec = z.input<typeof agentRolloutSpec>;
export type AgentRolloutStatus = z.input<typeof agentRolloutStatus>;

export const AGENT_ROLLOUTS = kindOf<AgentRollout>('bmc.kubevirt.io/v1beta1', 'AgentRollout');

/** The name of the only one that the manager reads. */
export const AGENT_ROLLOUT_NAME = 'agents';

/** Types of an AgentRollout's conditions. */
export const AGENT_ROLLOUT_CONDITIONS = {
  /** All agents that are not held have the current image and settings. */
  complete: 'Complete',
} as const;

/** Annotations of a VirtualMachineBMC or IPPool that keep its agents at their revision, with any value; the second is vm-dhcp-controller's. */
const HOLD_ANNOTATIONS = ['bmc.kubevirt.io/hold-agent-upgrade', 'network.harvesterhci.io/hold-ippool-agent-upgrade'];

/** Whether an annotation keeps the agents of the BMC or pool at their revision. */
export function holdsAgents({ metadata: { annotations = {} } }: Pick<KubeObject, 'metadata'>): boolean {
  return HOLD_ANNOTATIONS.some((name) => name in annotations);
}
