import { NETWORKS_ANNOTATION } from '../../../../api/index.ts';
import type { Deployment, Draft } from '@groundcrew/controller-runtime';
import { digest, writtenResources, type AgentSettings } from '../../../children/index.ts';
import { agentSelector, INDEX_LABEL, NETWORK_ANNOTATION } from '../identity.ts';
import type { WantedAgent } from '../wanted-agents.ts';
import { affinity, deviceOf, tolerations } from './placement.ts';
import { agentMetadata, keyOfScope, type Scope } from './scope.ts';

/** Annotation of pods: the addresses at the start of the agent, `10.0.0.2/24,10.1.0.2/24`. */
export const ADDRESSES_ANNOTATION = 'network.harvesterhci.io/addresses';

/** Annotation of pods: the namespaces of the agent's pools, separated by commas. */
export const POOL_NAMESPACES_ANNOTATION = 'network.harvesterhci.io/pool-namespaces';

/** Annotation of the pod template: a hash of the template and the network's configuration. */
const TEMPLATE_HASH_ANNOTATION = 'network.harvesterhci.io/template-hash';

/** Name of the agent's container. */
export const AGENT_CONTAINER = 'agent';

const HEALTH_PORT = 10080;
const SNAPSHOT_DIR = '/var/lib/groundcrew';

/** Enough for a server with 100,000 leases. */
const DEFAULT_RESOURCES = { requests: { cpu: '20m', memory: '80Mi' }, limits: { memory: '256Mi' } };

type PodSpec = NonNullable<NonNullable<Deployment['spec']>['template']['spec']>;
type Container = PodSpec['containers'][number];

/**
 * The Deployment of one agent. Only one pod at a time can have its address, so the old pod ends before the new one
 * starts; meanwhile the network's other agents answer.
 *
 * @param config CNI configuration of the agent's net-attach-def; a pod reads it only at its start
 */
export function deployment(scope: Scope, agent: WantedAgent, config: string): Draft<Deployment> {
  const metadata = agentMetadata(scope, agent.index);
  const labels = { ...metadata.labels, [INDEX_LABEL]: String(agent.index) };
  const spec = podSpec(scope, agent, metadata.name);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...metadata, labels },
    spec: {
      replicas: 1,
      revisionHistoryLimit: 2,
      progressDeadlineSeconds: 120,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: { ...agentSelector(keyOfScope(scope)), [INDEX_LABEL]: String(agent.index) } },
      template: {
        metadata: {
          labels,
          annotations: {
            [NETWORKS_ANNOTATION]: JSON.stringify([
              { name: metadata.name, namespace: metadata.namespace, interface: 'net1' },
            ]),
            [NETWORK_ANNOTATION]: keyOfScope(scope),
            [ADDRESSES_ANNOTATION]: agent.addresses.join(','),
            [POOL_NAMESPACES_ANNOTATION]: agent.poolNamespaces.join(','),
            [TEMPLATE_HASH_ANNOTATION]: digest({ spec, config }),
          },
        },
        spec,
      },
    },
  };
}

function podSpec(scope: Scope, agent: WantedAgent, serviceAccountName: string): PodSpec {
  const { attachment, settings } = scope;
  const { imagePullSecrets, nodeSelector, priorityClassName } = settings;
  return {
    serviceAccountName,
    automountServiceAccountToken: true,
    enableServiceLinks: false,
    // The agent ends quickly: it only writes its snapshot. The next agent needs its address.
    terminationGracePeriodSeconds: 2,
    securityContext: {
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
      // In the pod's own network namespace: port 67 without a capability.
      sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '67' }],
    },
    ...(imagePullSecrets === undefined ? {} : { imagePullSecrets }),
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    affinity: affinity(keyOfScope(scope), attachment, settings),
    tolerations: tolerations(settings),
    containers: [container(scope, agent)],
    // The volume survives container restarts, so an agent that restarts during an API server outage continues from its snapshot.
    volumes: [{ name: 'snapshot', emptyDir: { sizeLimit: '128Mi' } }],
  };
}

function container(scope: Scope, agent: WantedAgent): Container {
  const { attachment, settings } = scope;
  return {
    name: AGENT_CONTAINER,
    image: settings.image,
    ...(settings.imagePullPolicy === undefined ? {} : { imagePullPolicy: settings.imagePullPolicy }),
    args: agentArguments(scope, agent),
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'POD_IPS', valueFrom: { fieldRef: { fieldPath: 'status.podIPs' } } },
    ],
    ports: [
      { name: 'dhcp', containerPort: 67, protocol: 'UDP' },
      { name: 'health', containerPort: HEALTH_PORT, protocol: 'TCP' },
    ],
    // Clients wait about a second for their first answer, so readiness is probed every second.
    startupProbe: { ...probe('/healthz', 1), failureThreshold: 60 },
    livenessProbe: { ...probe('/healthz', 5), failureThreshold: 3 },
    readinessProbe: { ...probe('/readyz', 1), failureThreshold: 2 },
    resources: resources(settings, deviceOf(attachment)),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [{ name: 'snapshot', mountPath: SNAPSHOT_DIR }],
  };
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

function resources(settings: AgentSettings, device: string | undefined): NonNullable<Container['resources']> {
  const own = writtenResources(settings.resources) ?? DEFAULT_RESOURCES;
  if (device === undefined) return own;
  const one = { [device]: '1' };
  return { ...own, requests: { ...own.requests, ...one }, limits: { ...own.limits, ...one } };
}

function probe(path: string, periodSeconds: number) {
  return { httpGet: { path, port: 'health' }, periodSeconds, timeoutSeconds: 2 };
}
