import {
  DEPLOYMENTS,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
  type Deployment,
  type Draft,
  type Kind,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import { NETWORK_ATTACHMENT_DEFINITIONS } from '../../../../api/index.ts';
import { stamped } from '../../../children/index.ts';
import type { WantedAgent } from '../wanted-agents.ts';
import { attachment } from './attachment.ts';
import { attachmentConfig, type AttachmentProblem } from './attachment-config.ts';
import { deployment } from './deployment.ts';
import { roleBinding } from './role-binding.ts';
import { role } from './role.ts';
import type { Scope } from './scope.ts';
import { serviceAccount } from './service-account.ts';

/** The kinds of objects created for a network, in order: RBAC and network before the pod. */
export const CHILD_KINDS = {
  serviceAccount: SERVICE_ACCOUNTS,
  role: ROLES,
  roleBinding: ROLE_BINDINGS,
  attachment: NETWORK_ATTACHMENT_DEFINITIONS,
  deployment: DEPLOYMENTS,
} as const satisfies Record<string, Kind<KubeObject>>;

export type ChildName = keyof typeof CHILD_KINDS;

/** Annotation with the digest of the last applied draft. */
const APPLIED_ANNOTATION = 'network.harvesterhci.io/applied';

/** The desired state of an object. */
export type ChildDraft =
  | { child: 'deployment'; draft: Draft<Deployment>; index: number }
  | { child: Exclude<ChildName, 'deployment'>; draft: Draft<KubeObject> };

/** The desired objects for the agents of a network, in order; or the problem that prevents them. */
export function childDrafts(
  scope: Scope,
  agents: readonly WantedAgent[],
): { drafts: ChildDraft[] } | { problem: AttachmentProblem } {
  const configs = agents.map(({ addresses }) => attachmentConfig(scope.attachment.spec?.config, addresses));
  const drafts: ChildDraft[] = [];
  const add = <T extends KubeObject>(child: Exclude<ChildName, 'deployment'>, draft: Draft<T>) => {
    // The comparison and the request use JSON.
    drafts.push({ child, draft: stamped(draft, APPLIED_ANNOTATION) });
  };
  for (const { index } of agents) add('serviceAccount', serviceAccount(scope, index));
  for (const namespace of agents[0]?.poolNamespaces ?? []) {
    add('role', role(scope, namespace));
    add('roleBinding', roleBinding(scope, namespace, agents));
  }
  for (const [at, agent] of agents.entries()) {
    const derived = configs[at];
    if (derived === undefined) continue;
    if ('problem' in derived) return derived;
    add('attachment', attachment(scope, agent.index, derived.config));
    const draft = stamped<Deployment>(deployment(scope, agent, derived.config), APPLIED_ANNOTATION);
    drafts.push({ child: 'deployment', draft, index: agent.index });
  }
  return { drafts };
}
