import type { NetworkAttachmentDefinition } from '../../../../api/index.ts';
import { spreadApart, type AgentSettings } from '../../../agent-workload/index.ts';
import { agentSelector } from '../identity.ts';

type Affinity = NonNullable<AgentSettings['affinity']>;
type Requirement = { key: string; operator: string; values?: string[] };

/** On a net-attach-def: the device resource for each pod on the network; only nodes with the network provide it. */
export const RESOURCE_ANNOTATION = 'k8s.v1.cni.cncf.io/resourceName';

/** On a net-attach-def: labels of the nodes with the network, as k8snetworkplumbingwg's injector reads them. */
const NODE_SELECTOR_ANNOTATION = 'k8s.v1.cni.cncf.io/nodeSelector';

/** On Harvester's net-attach-defs: the cluster network; nodes with that network have a matching label. */
const CLUSTER_NETWORK_LABEL = 'network.harvesterhci.io/clusternetwork';

/** The affinity of an agent: nodes that have the network, preferably without another agent of it. */
export function affinity(network: string, attachment: NetworkAttachmentDefinition, settings: AgentSettings): Affinity {
  const wanted = settings.affinity ?? {};
  const required = requirements(attachment);
  const nodes = required.length === 0 ? {} : { nodeAffinity: withRequirements(wanted.nodeAffinity, required) };
  return spreadApart({ ...wanted, ...nodes }, agentSelector(network));
}

/** The network's device resource, if any; the agent requests one. */
export function deviceOf({ metadata }: NetworkAttachmentDefinition): string | undefined {
  return metadata.annotations?.[RESOURCE_ANNOTATION];
}

function requirements({ metadata: { annotations = {}, labels = {} } }: NetworkAttachmentDefinition): Requirement[] {
  const clusterNetwork = labels[CLUSTER_NETWORK_LABEL];
  return [
    ...selected(annotations[NODE_SELECTOR_ANNOTATION] ?? ''),
    ...(clusterNetwork === undefined
      ? []
      : [{ key: `network.harvesterhci.io/${clusterNetwork}`, operator: 'In', values: ['true'] }]),
  ];
}

/** `disk=ssd,zone` */
function selected(selector: string): Requirement[] {
  return selector
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [key = '', value] = part.split('=');
      return value === undefined ? { key, operator: 'Exists' } : { key, operator: 'In', values: [value] };
    });
}

/** The terms are alternatives, so the requirements are added to each of them. */
function withRequirements(
  nodeAffinity: Affinity['nodeAffinity'] = {},
  added: Requirement[],
): NonNullable<Affinity['nodeAffinity']> {
  const { nodeSelectorTerms = [] } = nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution ?? {};
  const terms = nodeSelectorTerms.length === 0 ? [{}] : nodeSelectorTerms;
  return {
    ...nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: terms.map((term) => ({
        ...term,
        matchExpressions: [...(term.matchExpressions ?? []), ...added],
      })),
    },
  };
}
