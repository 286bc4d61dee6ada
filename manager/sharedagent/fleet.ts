import { holdsAgents } from '../../api/index.ts';
import { source, type ObjectRef, type StatefulSet } from '@groundcrew/controller-runtime';
import { TEMPLATE_HASH_ANNOTATION } from '../bmc-agent/index.ts';
import { agentState, readNote, type AgentFact, type Fleet } from '../rollout/index.ts';
import { BY_SHARED_AGENT, type SharedAgentCaches } from './caches.ts';
import { agentKey } from './load-inputs.ts';

/** The shared agents, for the roll-out. Each is one agent, whose pods are replaced one after the other. */
export function sharedFleet({ statefulSets, pods }: Pick<SharedAgentCaches, 'statefulSets' | 'pods'>): Fleet {
  const none = (): ObjectRef[] => [{ name: '' }];
  return {
    facts: () => statefulSets.list().flatMap((found) => factOf(found, pods)),
    sources: [source(statefulSets, none), source(pods, none)],
  };
}

function factOf(found: StatefulSet, pods: SharedAgentCaches['pods']): AgentFact[] {
  const { namespace = '', name, deletionTimestamp } = found.metadata;
  if (deletionTimestamp !== undefined) return [];
  const key = agentKey(found.metadata);
  const own = pods.byIndex(BY_SHARED_AGENT, `${namespace}/${name}`);
  return [
    {
      ...{ key, kind: 'shared', namespace, name, group: key },
      note: readNote(found),
      ...agentState(found, own, TEMPLATE_HASH_ANNOTATION),
      isHeld: holdsAgents(found),
      isPinned: false,
    },
  ];
}
