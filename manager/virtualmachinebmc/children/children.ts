import type { BMCDefaults, VirtualMachineBMC } from '../../../api/index.ts';
import {
  DEPLOYMENTS,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
  SERVICES,
  type Deployment,
  type Draft,
  type Kind,
  type KubeObject,
  type Role,
  type RoleBinding,
  type Service,
  type ServiceAccount,
} from '@groundcrew/controller-runtime';
import { agentRoleBinding, agentServiceAccount, type AgentSettings } from '../../agent-workload/index.ts';
import type { Assignment } from '../../sharedagent/index.ts';
import { childMetadata } from './identity.ts';
import { role } from './role.ts';
import { service } from './service.ts';

/**
 * The kinds of children with the agent's name, in the order of creation: the Service, whose address the certificate needs, and RBAC before
 * the pod.
 */
export const CHILD_KINDS = {
  service: SERVICES,
  serviceAccount: SERVICE_ACCOUNTS,
  role: ROLES,
  roleBinding: ROLE_BINDINGS,
  deployment: DEPLOYMENTS,
} as const satisfies Record<string, Kind<KubeObject>>;

export type ChildName = keyof typeof CHILD_KINDS;

export const CHILD_NAMES = Object.keys(CHILD_KINDS) as ChildName[]; // TypeScript types Object.keys as string[]

/** The object type of each kind of child. */
export interface ChildObjects {
  serviceAccount: ServiceAccount;
  role: Role;
  roleBinding: RoleBinding;
  service: Service;
  deployment: Deployment;
}

export type ChildDrafts = { [K in Exclude<ChildName, 'deployment'>]: Draft<ChildObjects[K]> };

/**
 * The desired children of a BMC, but for the Deployment, which the roll-out chooses. A shared BMC has only a Service.
 *
 * @param shared where the Service leads; absent: to an agent of its own
 */
export function childDrafts(
  bmc: VirtualMachineBMC,
  defaults: AgentSettings,
  bmcDefaults?: BMCDefaults,
  shared?: Assignment,
): ChildDrafts {
  const metadata = childMetadata(bmc);
  return {
    serviceAccount: agentServiceAccount(metadata),
    role: role(bmc, defaults),
    roleBinding: agentRoleBinding(metadata, [metadata]),
    service: service(bmc, bmcDefaults, shared),
  };
}
