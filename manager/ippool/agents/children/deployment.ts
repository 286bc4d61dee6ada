import { NETWORKS_ANNOTATION } from '../../../../api/index.ts';
import type { Deployment, Draft } from '@groundcrew/controller-runtime';
import { agentDeployment, agentPod, digest, type AgentSettings } from '../../../agent-workload/index.ts';
import { agentSelector, INDEX_LABEL, NETWORK_ANNOTATION } from '../identity.ts';
import type { WantedAgent } from '../wanted-agents.ts';
import { affinity, deviceOf } from './placement.ts';
import { agentMetadata, keyOfScope, type Scope } from './scope.ts';

/** Annotation of pods: the addresses at the start of the agent, `10.0.0.2/24,10.1.0.2/24`. */
export const ADDRESSES_ANNOTATION = 'network.harvesterhci.io/addresses';

/** Annotation of pods: the namespaces of the agent's pools, separated by commas. */
export const POOL_NAMESPACES_ANNOTATION = 'network.harvesterhci.io/pool-namespaces';

/** Annotation of the pod template: a hash of the template and the network's configuration. */
export const TEMPLATE_HASH_ANNOTATION = 'network.harvesterhci.io/template-hash';

const HEALTH_PORT = 10080;
const SNAPSHOT_DIR = '/var/lib/groundcrew';

/** Enough for a server with 100,000 leases. */
const DEFAULT_RESOURCES = { requests: { cpu: '20m', memory: '80Mi' }, limits: { memory: '256Mi' } };

/**
 * The Deployment of one agent. Only one pod at a time can have its address, so the old pod ends before the new one
 * starts; meanwhile the network's other agents answer.
 *
 * @param config CNI configuration of the agent's net-attach-def; a pod reads it only at its start
 */
export function deployment(scope: Scope, agent: WantedAgent, config: string): Draft<Deployment> {
  const metadata = agentMetadata(scope, agent.index);
  const { name, namespace } = metadata;
  const network = keyOfScope(scope);
  const index = { [INDEX_LABEL]: String(agent.index) };
  const pod = podOf(scope, agent, name);
  return agentDeployment(
    { ...metadata, labels: { ...metadata.labels, ...index } },
    {
      progressDeadlineSeconds: 120,
      strategy: { type: 'Recreate' },
      selector: { ...agentSelector(network), ...index },
      annotations: {
        [NETWORKS_ANNOTATION]: JSON.stringify([{ name, namespace, interface: 'net1' }]),
        [NETWORK_ANNOTATION]: network,
        [ADDRESSES_ANNOTATION]: agent.addresses.join(','),
        [POOL_NAMESPACES_ANNOTATION]: agent.poolNamespaces.join(','),
        [TEMPLATE_HASH_ANNOTATION]: digest({ spec: pod, config }),
      },
      pod,
    },
  );
}

const SAMPLE = {
  network: { namespace: 'sample', name: 'sample' },
  attachment: {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { name: 'sample', namespace: 'sample' },
  },
  pools: [],
};

/** A pod template that differs whenever the installation's settings or this manager change those of agents. */
export function sampleTemplate(settings: AgentSettings): unknown {
  const agent = { index: 0, addresses: [], routes: [], poolNamespaces: ['sample'] };
  return deployment({ ...SAMPLE, settings }, agent, '').spec?.template;
}

function podOf(scope: Scope, agent: WantedAgent, serviceAccountName: string) {
  const { attachment, settings } = scope;
  return agentPod({
    serviceAccountName,
    component: 'dhcp-agent',
    settings: {
      ...settings,
      affinity: affinity(keyOfScope(scope), attachment, settings),
      resources: resources(settings, deviceOf(attachment)),
    },
    // The agent ends quickly: it only writes its snapshot. The next agent needs its address.
    terminationGracePeriodSeconds: 2,
    // In the pod's own network namespace: port 67 without a capability.
    sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '67' }],
    args: agentArguments(scope, agent),
    env: { POD_NAME: 'metadata.name', POD_IPS: 'status.podIPs' },
    ports: {
      dhcp: { containerPort: 67, protocol: 'UDP' },
      health: { containerPort: HEALTH_PORT, protocol: 'TCP' },
    },
    // Clients wait about a second for their first answer.
    probes: { liveness: 5, readiness: 1 },
    volumeMounts: [{ name: 'snapshot', mountPath: SNAPSHOT_DIR }],
    // The volume survives container restarts, so an agent that restarts during an API server outage continues from its snapshot.
    volumes: [{ name: 'snapshot', emptyDir: { sizeLimit: '128Mi' } }],
  });
}

function agentArguments(scope: Scope, { index, poolNamespaces }: WantedAgent): string[] {
  return [
    ...['agent', 'dhcp'],
    ...['--network', keyOfScope(scope)],
    ...['--server-index', String(index)],
    ...poolNamespaces.flatMap((namespace) => ['--pool-namespace', namespace]),
    ...['--pod-name', '$(POD_NAME)'],
    ...['--bind-address', '$(POD_IPS)'],
    ...['--health-port', String(HEALTH_PORT)],
    ...['--snapshot-dir', SNAPSHOT_DIR],
    ...['--log-level', scope.settings.logLevel ?? 'info'],
    ...(scope.settings.extraArgs ?? []),
  ];
}

/** Resources with one of the network's devices, if it has any. */
function resources({ resources: own = DEFAULT_RESOURCES }: AgentSettings, device: string | undefined) {
  if (device === undefined) return own;
  const one = { [device]: '1' };
  return { ...own, requests: { ...own.requests, ...one }, limits: { ...own.limits, ...one } };
}
