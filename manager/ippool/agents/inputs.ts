import { dhcpAgentName, type NetworkAttachmentDefinition } from '../../../api/index.ts';
import {
  DEPLOYMENTS,
  keyOf,
  timestamp,
  type Deployment,
  type KubeObject,
  type Pod,
  type Clock,
  type Kind,
  type KubeClient,
} from '@groundcrew/controller-runtime';
import {
  CHILD_KINDS,
  childDrafts,
  type ChildDraft,
  type ChildName,
  type ChooseDeployment,
} from './children/children.ts';
import { agentSettings, type AgentOverrides, type AgentSettings } from '../../agent-workload/index.ts';
import { chooseDraft, type Gate } from '../../rollout/index.ts';
import { agentKey } from '../fleet.ts';
import { TEMPLATE_HASH_ANNOTATION } from './children/deployment.ts';
import type { NetworkCaches } from '../../networks/index.ts';
import { BY_NETWORK_MADE_FOR, type AgentCaches } from '../caches.ts';
import { indexOf, isMarkedFor, isOf, type NetworkRef } from './identity.ts';
import { decidingPool, membersOf, wantedAgents, type WantedAgent } from './wanted-agents.ts';

/** All inputs for one network, read at one time. */
export interface NetworkInputs {
  /** The desired objects of the agents; undefined if unknown: existing objects are then kept. */
  drafts: readonly ChildDraft[] | undefined;
  /** The existing objects with the names of the drafts, in the order of the drafts. */
  standing: readonly ChildFact[];
  /** All objects created for the network, desired or not. */
  made: readonly Made[];
  pods: readonly Pod[];
  /** Milliseconds since 1970. */
  now: number;
}

/** `MultusAbsent`: the cluster does not have the resource net-attach-def. */
export type AttachmentFact = 'MultusAbsent' | 'Missing' | NetworkAttachmentDefinition;

/** The object with the name of a child. `Theirs`: not created for this network; it is not changed. */
export type ChildFact = { standing: 'Absent' } | { standing: 'Ours' | 'Theirs'; object: KubeObject };

export type Made = { child: 'deployment'; object: Deployment } | { child: ChildName; object: KubeObject };

export interface Refusal {
  /** Kind and name. */
  object: string;
  /** The server's message, or what prevents the change. */
  message: string;
}

export interface NetworkSources {
  client: KubeClient;
  caches: NetworkCaches;
  agentCaches: AgentCaches;
  /** The installation's settings for all agents. */
  agents: AgentSettings;
  /** What the roll-out allows each agent. */
  gate: Pick<Gate, 'turn' | 'subscribe'>;
  clock: Clock;
}

/** Reads all inputs for one network from caches. Asks the API server only whether an object that the caches do not have exists. */
export async function loadInputs(network: NetworkRef, sources: NetworkSources): Promise<NetworkInputs> {
  const { caches, agentCaches, clock } = sources;
  const drafts = await wantedChildren(network, attachmentFact(network, caches), sources);
  const standing: ChildFact[] = [];
  for (const draft of drafts ?? []) standing.push(await childFact(network, draft, sources));
  return {
    drafts,
    standing,
    made: made(network, sources),
    pods: podsOf(network, agentCaches),
    now: clock.now(),
  };
}

export function attachmentFact(network: NetworkRef, caches: NetworkCaches): AttachmentFact {
  if (!caches.hasMultus()) return 'MultusAbsent';
  return caches.networks.get(network) ?? 'Missing';
}

export function podsOf(network: NetworkRef, { pods }: AgentCaches): readonly Pod[] {
  return pods.byIndex(BY_NETWORK_MADE_FOR, keyOf(network));
}

async function wantedChildren(
  network: NetworkRef,
  attachment: AttachmentFact,
  sources: NetworkSources,
): Promise<readonly ChildDraft[] | undefined> {
  const { caches, agents: defaults } = sources;
  // An empty cache that has not synced does not mean that there are no pools.
  if (!caches.pools.hasSynced) return undefined;
  if (caches.otherAgentsOn(keyOf(network)).length > 0) return [];
  const members = membersOf(caches.poolsOn(keyOf(network)));
  const agents = wantedAgents(members);
  if (agents.length === 0) return [];
  if (typeof attachment === 'string') return undefined;
  const pools = members.map(({ pool }) => pool);
  const overrides = decidingPool(members)?.spec.agent;
  const scope = { network, attachment, pools, settings: agentSettings(defaults, overrides), overrides };
  const made = childDrafts(scope, agents, await chooser(network, agents, overrides, sources));
  return 'drafts' in made ? made.drafts : undefined;
}

/** Chooses each agent's Deployment by its turn in the roll-out. */
async function chooser(
  network: NetworkRef,
  agents: readonly WantedAgent[],
  overrides: AgentOverrides | undefined,
  { client, agentCaches, gate, clock }: NetworkSources,
): Promise<ChooseDeployment> {
  const existing = new Map<number, Deployment | undefined>();
  for (const { index } of agents) {
    const ref = { namespace: network.namespace, name: dhcpAgentName(network.name, index) };
    existing.set(index, agentCaches.deployments.get(ref) ?? (await client.find(DEPLOYMENTS, ref)));
  }
  const pods = podsOf(network, agentCaches);
  const now = timestamp(clock.now());
  return ({ index }, own, render) => {
    const turn = gate.turn(
      'dhcp',
      agentKey({ namespace: network.namespace, name: dhcpAgentName(network.name, index) }),
    );
    if (turn === undefined) return undefined;
    const agent = {
      existing: existing.get(index),
      hashAnnotation: TEMPLATE_HASH_ANNOTATION,
      own,
      pods: pods.filter((pod) => indexOf(pod) === index),
      render: (settings: AgentSettings) => render(agentSettings(settings, overrides)),
    };
    return chooseDraft(agent, turn, now);
  };
}

async function childFact(
  network: NetworkRef,
  { child, draft }: ChildDraft,
  { client, caches, agentCaches }: NetworkSources,
): Promise<ChildFact> {
  const { namespace = '', name = '' } = draft.metadata;
  const cache = child === 'attachment' ? caches.networks : agentCaches.children[child];
  const kind: Kind<KubeObject> = CHILD_KINDS[child];
  const object = cache.get({ namespace, name }) ?? (await client.find(kind, { namespace, name }));
  if (object === undefined) return { standing: 'Absent' };
  return { standing: isOf(keyOf(network), object) || isMarkedFor(keyOf(network), object) ? 'Ours' : 'Theirs', object };
}

function made(network: NetworkRef, { caches, agentCaches }: NetworkSources): Made[] {
  const key = keyOf(network);
  // An object with the labels of another network belongs to that one, whatever its annotation says.
  const ours = (child: ChildName, objects: readonly KubeObject[]): Made[] =>
    objects.filter((object) => isOf(key, object)).map((object) => ({ child, object }));
  const { serviceAccount, role, roleBinding, deployment } = agentCaches.children;
  const attachments = caches.networks.list(network.namespace);
  return [
    // Deployments first, since their pods use the other objects.
    ...ours('deployment', deployment.byIndex(BY_NETWORK_MADE_FOR, key)),
    ...ours('roleBinding', roleBinding.byIndex(BY_NETWORK_MADE_FOR, key)),
    ...ours('role', role.byIndex(BY_NETWORK_MADE_FOR, key)),
    ...ours('serviceAccount', serviceAccount.byIndex(BY_NETWORK_MADE_FOR, key)),
    ...ours('attachment', attachments),
  ];
}
