import {
  apiVersionOf,
  DEPLOYMENTS,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
  type Deployment,
  type Draft,
  type Kind,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import {
  dhcpAgentName,
  NETWORK_ATTACHMENT_DEFINITIONS,
  type NetworkAttachmentDefinition,
} from '../../../../api/index.ts';
import {
  agentRole,
  agentRoleBinding,
  agentServiceAccount,
  digest,
  stamped,
  type AgentSettings,
} from '../../../agent-workload/index.ts';
import type { WantedAgent } from '../wanted-agents.ts';
import { attachmentConfig, type AttachmentProblem } from './attachment-config.ts';
import { deployment } from './deployment.ts';
import { affinity, deviceOf, RESOURCE_ANNOTATION } from './placement.ts';
import { agentMetadata, keyOfScope, rightsMetadata, type Scope } from './scope.ts';

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

/** Permissions of agents in a namespace of pools: read pools and leases, write the status of leases. */
const RULES = [
  { apiGroups: ['network.harvesterhci.io'], resources: ['ippools'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['network.harvesterhci.io'], resources: ['ipleases'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['network.harvesterhci.io'], resources: ['ipleases/status'], verbs: ['get', 'patch'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];

/** The desired state of an object; left: neither created nor changed. */
export type ChildDraft =
  | { child: 'deployment'; draft: Draft<Deployment>; index: number; isLeft?: boolean }
  | { child: Exclude<ChildName, 'deployment'>; draft: Draft<KubeObject> };

/** Chooses the Deployment of an agent among those that the installation's settings can give it; undefined: leave it. */
export type ChooseDeployment = (
  agent: WantedAgent,
  own: string,
  render: (settings: AgentSettings) => Draft<Deployment>,
) => Draft<Deployment> | undefined;

/** The desired objects for the agents of a network, in order; or the problem that prevents them. */
export function childDrafts(
  scope: Scope,
  agents: readonly WantedAgent[],
  choose: ChooseDeployment = (_agent, _own, render) => render(scope.settings),
): { drafts: ChildDraft[] } | { problem: AttachmentProblem } {
  const configs = agents.map(({ addresses, routes }) => attachmentConfig(scope.attachment, addresses, routes));
  const drafts: ChildDraft[] = [];
  const add = <T extends KubeObject>(child: Exclude<ChildName, 'deployment'>, draft: Draft<T>) => {
    // The comparison and the request use JSON.
    drafts.push({ child, draft: stamped(draft, APPLIED_ANNOTATION) });
  };
  for (const { index } of agents) add('serviceAccount', agentServiceAccount(agentMetadata(scope, index)));
  const { namespace: agentNamespace, name: network } = scope.network;
  const accounts = agents.map(({ index }) => ({ namespace: agentNamespace, name: dhcpAgentName(network, index) }));
  for (const namespace of agents[0]?.poolNamespaces ?? []) {
    const metadata = rightsMetadata(scope, namespace);
    add('role', agentRole(metadata, RULES));
    add('roleBinding', agentRoleBinding(metadata, accounts));
  }
  for (const [at, agent] of agents.entries()) {
    const derived = configs[at];
    if (derived === undefined) continue;
    if ('problem' in derived) return derived;
    add('attachment', attachment(scope, agent.index, derived.config));
    const render = (settings: AgentSettings) => deployment({ ...scope, settings }, agent, derived.config);
    const chosen = choose(agent, ownInputs(scope, agent, derived.config), render);
    const draft = stamped<Deployment>(chosen ?? render(scope.settings), APPLIED_ANNOTATION);
    drafts.push({ child: 'deployment', draft, index: agent.index, isLeft: chosen === undefined });
  }
  return { drafts };
}

/** A digest of all that an agent's Deployment is made of, but for the installation's settings. */
function ownInputs(scope: Scope, agent: WantedAgent, config: string): string {
  const { attachment, overrides } = scope;
  const place = [affinity(keyOfScope(scope), attachment, { image: '' }), deviceOf(attachment)];
  return digest({ agent, config, overrides, place });
}

/** The net-attach-def of one agent: a copy of the network's own with static addresses. */
function attachment(scope: Scope, index: number, config: string): Draft<NetworkAttachmentDefinition> {
  const metadata = agentMetadata(scope, index);
  const resource = scope.attachment.metadata.annotations?.[RESOURCE_ANNOTATION];
  return {
    apiVersion: apiVersionOf(NETWORK_ATTACHMENT_DEFINITIONS),
    kind: NETWORK_ATTACHMENT_DEFINITIONS.kind,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, ...(resource === undefined ? {} : { [RESOURCE_ANNOTATION]: resource }) },
    },
    spec: { config },
  };
}
