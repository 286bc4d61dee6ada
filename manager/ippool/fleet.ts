import { holdsAgents } from '../../api/index.ts';
import {
  annotationsChanged,
  generationChanged,
  keyOf,
  or,
  source,
  type Deployment,
  type ObjectRef,
} from '@groundcrew/controller-runtime';
import { networkRef, type NetworkCaches } from '../networks/index.ts';
import { agentState, readNote, type AgentFact, type Fleet } from '../rollout/index.ts';
import { attachmentConfig } from './agents/children/attachment-config.ts';
import { TEMPLATE_HASH_ANNOTATION } from './agents/children/deployment.ts';
import { indexOf, networkOf } from './agents/identity.ts';
import { BY_NETWORK_MADE_FOR, type AgentCaches } from './caches.ts';

/** The agents of networks, for the roll-out. */
export function dhcpFleet(caches: NetworkCaches, agentCaches: Pick<AgentCaches, 'deployments' | 'pods'>): Fleet {
  const none = (): ObjectRef[] => [{ name: '' }];
  return {
    facts: () => agentCaches.deployments.list().flatMap((found) => factOf(found, caches, agentCaches)),
    sources: [
      source(caches.pools, none, or(generationChanged, annotationsChanged)),
      source(agentCaches.deployments, none),
      source(agentCaches.pods, none),
    ],
  };
}

function factOf(found: Deployment, caches: NetworkCaches, { pods }: Pick<AgentCaches, 'pods'>): AgentFact[] {
  const { namespace = '', name, deletionTimestamp } = found.metadata;
  const network = networkOf(found) ?? '';
  const pools = caches.poolsOn(network);
  if (pools.length === 0 || deletionTimestamp !== undefined) return [];
  const own = pods.byIndex(BY_NETWORK_MADE_FOR, network).filter((pod) => indexOf(pod) === indexOf(found));
  // Without a net-attach-def that agents can use, an agent can be neither made nor changed.
  const attachment = caches.networks.get(networkRef(network));
  const isChangeable = attachment !== undefined && 'config' in attachmentConfig(attachment, []);
  return [
    {
      ...{ key: agentKey({ namespace, name }), kind: 'dhcp', namespace, name, group: `dhcp ${network}` },
      note: readNote(found),
      ...agentState(found, own, TEMPLATE_HASH_ANNOTATION),
      isHeld: pools.some(holdsAgents) || !isChangeable,
      isPinned: pools.some(({ spec }) => spec.agent?.image !== undefined),
    },
  ];
}

/** The key of an agent in the roll-out, by its Deployment. */
export function agentKey(deployment: Required<ObjectRef>): string {
  return `dhcp ${keyOf(deployment)}`;
}
