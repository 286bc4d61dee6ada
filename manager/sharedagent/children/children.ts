import type { VirtualMachineBMC } from '../../../api/index.ts';
import {
  LEASES,
  POD_DISRUPTION_BUDGETS,
  ROLE_BINDINGS,
  ROLES,
  SECRETS,
  SERVICE_ACCOUNTS,
  STATEFUL_SETS,
  type Draft,
  type Kind,
  type KubeObject,
  type ObjectRef,
} from '@groundcrew/controller-runtime';
import { agentRoleBinding, agentServiceAccount, type AgentSettings } from '../../agent-workload/index.ts';
import { disruptionBudget } from './disruption-budget.ts';
import { sharedAgentMetadata } from './identity.ts';
import { sharedRole } from './role.ts';

/** The objects of a shared agent, in the order of creation: what a pod needs before the pods. */
export const CHILD_KINDS = {
  serviceAccount: SERVICE_ACCOUNTS,
  role: ROLES,
  roleBinding: ROLE_BINDINGS,
  lease: LEASES,
  secret: SECRETS,
  disruptionBudget: POD_DISRUPTION_BUDGETS,
  statefulSet: STATEFUL_SETS,
} as const satisfies Record<string, Kind<KubeObject>>;

export type ChildName = keyof typeof CHILD_KINDS;

/** Those that are applied as they are: the others are changed by the agent, in parts, or by the roll-out. */
export type AppliedName = 'serviceAccount' | 'role' | 'roleBinding' | 'disruptionBudget';

export function appliedDrafts(
  agent: Required<ObjectRef>,
  bmcs: readonly VirtualMachineBMC[],
  settings: AgentSettings,
): Record<AppliedName, Draft<KubeObject>> {
  const metadata = sharedAgentMetadata(agent);
  return {
    serviceAccount: agentServiceAccount(metadata),
    role: sharedRole(agent, bmcs, settings),
    roleBinding: agentRoleBinding(metadata, [agent]),
    disruptionBudget: disruptionBudget(agent),
  };
}

/** The Lease, without a holder: the agent may update it, but not create it. */
export function leaseDraft(agent: Required<ObjectRef>): Draft<KubeObject> {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: sharedAgentMetadata(agent) };
}

/** The Secret that names the agent's BMCs, without any. */
export function secretDraft(agent: Required<ObjectRef>): Draft<KubeObject> {
  return { apiVersion: 'v1', kind: 'Secret', metadata: sharedAgentMetadata(agent) };
}
