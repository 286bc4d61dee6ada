import type { VirtualMachineBMC } from '../../../api/index.ts';
import type { Deployment, Draft } from '@groundcrew/controller-runtime';
import { agentSettings, digest, writtenResources, type AgentSettings } from '../../children/index.ts';
import { AGENT_PORTS } from './agent-ports.ts';
import { childMetadata } from './child-metadata.ts';
import { agentSelector, childLabels } from './labels.ts';

/** Annotation of the pod template and its pods that identifies the template. */
export const TEMPLATE_HASH_ANNOTATION = 'bmc.kubevirt.io/template-hash';

/** Name of the agent's container. */
export const AGENT_CONTAINER = 'agent';

const DEFAULT_RESOURCES = { requests: { cpu: '10m', memory: '80Mi' }, limits: { memory: '192Mi' } };

type PodTemplate = NonNullable<Deployment['spec']>['template'];
type PodSpec = NonNullable<PodTemplate['spec']>;
type Container = PodSpec['containers'][number];

/**
 * The agent's Deployment. It rolls surge-first: the new agent is Ready before the old one drains. The template excludes
 * settings that the agent reads itself, so that only changes of the pod roll it.
 */
export function deployment(bmc: VirtualMachineBMC, defaults: AgentSettings): Draft<Deployment> {
  const settings = agentSettings(defaults, bmc.spec.agent);
  const metadata = childMetadata(bmc);
  const spec = podSpec(bmc, metadata.name, settings);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      replicas: 1,
      revisionHistoryLimit: 2,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      selector: { matchLabels: agentSelector(bmc) },
      template: {
        metadata: { labels: childLabels(bmc), annotations: { [TEMPLATE_HASH_ANNOTATION]: digest(spec) } },
        spec,
      },
    },
  };
}

function podSpec(bmc: VirtualMachineBMC, serviceAccountName: string, settings: AgentSettings): PodSpec {
  const { imagePullSecrets, nodeSelector, tolerations, affinity, priorityClassName } = settings;
  return {
    serviceAccountName,
    automountServiceAccountToken: true,
    enableServiceLinks: false,
    // Sessions have up to 60 s to end while the agent drains.
    terminationGracePeriodSeconds: 60,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    ...(imagePullSecrets === undefined ? {} : { imagePullSecrets }),
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    ...(tolerations === undefined ? {} : { tolerations }),
    ...(affinity === undefined ? {} : { affinity }),
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    containers: [container(bmc, settings)],
  };
}

function container(bmc: VirtualMachineBMC, settings: AgentSettings): Container {
  return {
    name: AGENT_CONTAINER,
    image: settings.image,
    ...(settings.imagePullPolicy === undefined ? {} : { imagePullPolicy: settings.imagePullPolicy }),
    args: agentArguments(bmc, settings),
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      { name: 'POD_IPS', valueFrom: { fieldRef: { fieldPath: 'status.podIPs' } } },
    ],
    ports: [
      { name: 'ipmi', containerPort: AGENT_PORTS.ipmi, protocol: 'UDP' },
      { name: 'redfish', containerPort: AGENT_PORTS.redfish, protocol: 'TCP' },
      { name: 'health', containerPort: AGENT_PORTS.health, protocol: 'TCP' },
    ],
    startupProbe: { ...probe('/healthz', 1), failureThreshold: 60 },
    livenessProbe: { ...probe('/healthz', 10), failureThreshold: 3 },
    readinessProbe: { ...probe('/readyz', 2), failureThreshold: 2 },
    resources: writtenResources(settings.resources) ?? DEFAULT_RESOURCES,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ['ALL'] },
    },
  };
}

function agentArguments(bmc: VirtualMachineBMC, settings: AgentSettings): string[] {
  return [
    ...['agent', 'bmc'],
    ...['--namespace', '$(POD_NAMESPACE)'],
    ...['--bmc', bmc.metadata.name],
    ...['--pod-name', '$(POD_NAME)'],
    ...['--bind-address', '$(POD_IPS)'],
    ...['--ipmi-port', String(AGENT_PORTS.ipmi)],
    ...['--redfish-port', String(AGENT_PORTS.redfish)],
    ...['--redfish-http-port', String(AGENT_PORTS.redfishHttp)],
    ...['--health-port', String(AGENT_PORTS.health)],
    ...['--log-level', settings.logLevel ?? 'info'],
    ...(settings.metrics === true ? ['--metrics'] : []),
    ...(settings.extraArgs ?? []),
  ];
}

function probe(path: string, periodSeconds: number) {
  return { httpGet: { path, port: 'health' }, periodSeconds, timeoutSeconds: 2 };
}
