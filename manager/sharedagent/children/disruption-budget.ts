import type { Draft, ObjectRef, PodDisruptionBudget } from '@groundcrew/controller-runtime';
import { sharedAgentMetadata, sharedAgentSelector } from './identity.ts';

/**
 * Has a drain of nodes wait, before it evicts one pod of a shared agent, until the other is Ready. It is `maxUnavailable`, so that an
 * agent that is scaled to one pod does not block the drain, and a pod that is not Ready never does.
 */
export function disruptionBudget(agent: Required<ObjectRef>): Draft<PodDisruptionBudget> {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: sharedAgentMetadata(agent),
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: sharedAgentSelector(agent.name) },
    },
  };
}
