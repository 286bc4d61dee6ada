import { ANNOTATIONS } from '../../../api/index.ts';
import type { Draft, ObjectRef, StatefulSet } from '@groundcrew/controller-runtime';
import { digest, spreadApart, type AgentSettings } from '../../agent-workload/index.ts';
import { bmcAgentPod, TEMPLATE_HASH_ANNOTATION } from '../../bmc-agent/index.ts';
import { sharedAgentMetadata, sharedAgentSelector } from './identity.ts';

const DEFAULT_RESOURCES = { requests: { cpu: '20m', memory: '128Mi' }, limits: { memory: '512Mi' } };

/** The pods of a shared agent: one acts, the other stands by. */
export const REPLICAS = 2;

/**
 * The StatefulSet of a shared agent. It is one because the names of its pods are known: the agent's Role names them. Both start at
 * once, and it replaces one after the other.
 *
 * @param capacity most BMCs
 */
export function statefulSet(agent: Required<ObjectRef>, settings: AgentSettings, capacity: number): Draft<StatefulSet> {
  const metadata = sharedAgentMetadata(agent);
  const { name } = agent;
  const selector = sharedAgentSelector(name);
  const pod = bmcAgentPod({
    serviceAccountName: name,
    settings: {
      ...settings,
      resources: settings.sharedResources ?? DEFAULT_RESOURCES,
      affinity: spreadApart(settings.affinity, selector),
    },
    serves: ['--shared', name],
  });
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    // For `groundcrew status`.
    metadata: { ...metadata, annotations: { [ANNOTATIONS.sharedAgentCapacity]: String(capacity) } },
    spec: {
      // The API requires a name; no DNS names of pods are used, so there is no such Service.
      serviceName: name,
      replicas: REPLICAS,
      podManagementPolicy: 'Parallel',
      revisionHistoryLimit: 2,
      updateStrategy: { type: 'RollingUpdate' },
      selector: { matchLabels: selector },
      template: {
        metadata: { labels: metadata.labels, annotations: { [TEMPLATE_HASH_ANNOTATION]: digest(pod) } },
        spec: pod,
      },
    },
  };
}

/** A pod template that differs whenever the installation's settings or this manager change those of shared agents. */
export function sampleSharedTemplate(settings: AgentSettings): unknown {
  return statefulSet({ namespace: 'sample', name: 'sample' }, settings, 0).spec?.template;
}
