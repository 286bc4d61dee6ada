import { LABELS } from '../../api/index.ts';
import type {
  Deployment,
  Draft,
  ObjectRef,
  OwnerReference,
  Pod,
  Role,
  RoleBinding,
  ServiceAccount,
} from '@groundcrew/controller-runtime';
import { spreadConstraints, tolerations } from './scheduling.ts';
import type { AgentOverrides, AgentSettings } from './settings.ts';

/** Metadata of an object that the manager creates for agents. */
export interface WorkloadMetadata {
  name: string;
  namespace: string;
  labels: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences: OwnerReference[];
}

type DeploymentSpec = NonNullable<Deployment['spec']>;
type PodSpec = NonNullable<DeploymentSpec['template']['spec']>;
type Container = PodSpec['containers'][number];

/** Name of the agent's container. */
export const AGENT_CONTAINER = 'agent';

/** The agent's identity. Only the agent's own pod mounts its token; a pod that only refers to it gets none. */
export function agentServiceAccount(metadata: WorkloadMetadata): Draft<ServiceAccount> {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata, automountServiceAccountToken: false };
}

export function agentRole(metadata: WorkloadMetadata, rules: NonNullable<Role['rules']>): Draft<Role> {
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules };
}

/** Binds the Role of the same name to the ServiceAccounts of agents. */
export function agentRoleBinding(
  metadata: WorkloadMetadata,
  accounts: readonly Required<ObjectRef>[],
): Draft<RoleBinding> {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name },
    subjects: accounts.map(({ name, namespace }) => ({ kind: 'ServiceAccount', name, namespace })),
  };
}

/** The properties of an agent's pod that depend on the kind of agent. */
export interface AgentPod extends Pick<Container, 'volumeMounts'>, Pick<PodSpec, 'volumes'> {
  serviceAccountName: string;
  /** The agents of all resources of this kind in the namespace, which are spread over the nodes. */
  component: 'bmc-agent' | 'dhcp-agent';
  /** The settings of this agent. */
  settings: AgentSettings & Required<Pick<AgentSettings, 'resources'>>;
  terminationGracePeriodSeconds: number;
  sysctls?: NonNullable<PodSpec['securityContext']>['sysctls'];
  args: string[];
  /** Environment variables with the path of a field of the pod. */
  env: Readonly<Record<string, string>>;
  ports: Readonly<Record<string, { containerPort: number; protocol: 'TCP' | 'UDP' }>>;
  /** Seconds between two probes. */
  probes: { liveness: number; readiness: number };
}

/** The pod of an agent, which complies with the restricted Pod Security Standard. */
export function agentPod(agent: AgentPod): PodSpec {
  const { serviceAccountName, component, settings, terminationGracePeriodSeconds, sysctls, volumes } = agent;
  const { imagePullSecrets, nodeSelector, affinity, priorityClassName } = settings;
  const spread = spreadConstraints(settings, { [LABELS.managedBy]: 'groundcrew', [LABELS.component]: component });
  return {
    serviceAccountName,
    automountServiceAccountToken: true,
    enableServiceLinks: false,
    terminationGracePeriodSeconds,
    securityContext: {
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
      ...(sysctls === undefined ? {} : { sysctls }),
    },
    ...(imagePullSecrets === undefined ? {} : { imagePullSecrets }),
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    tolerations: tolerations(settings),
    ...(affinity === undefined ? {} : { affinity }),
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    ...(spread.length === 0 ? {} : { topologySpreadConstraints: spread }),
    containers: [container(agent)],
    ...(volumes === undefined ? {} : { volumes }),
  };
}

function container({ settings, args, env, ports, probes, volumeMounts }: AgentPod): Container {
  return {
    name: AGENT_CONTAINER,
    image: settings.image,
    ...(settings.imagePullPolicy === undefined ? {} : { imagePullPolicy: settings.imagePullPolicy }),
    args,
    env: Object.entries(env).map(([name, fieldPath]) => ({ name, valueFrom: { fieldRef: { fieldPath } } })),
    ports: Object.entries(ports).map(([name, port]) => ({ name, ...port })),
    startupProbe: { ...probe('/healthz', 1), failureThreshold: 60 },
    livenessProbe: { ...probe('/healthz', probes.liveness), failureThreshold: 3 },
    readinessProbe: { ...probe('/readyz', probes.readiness), failureThreshold: 2 },
    resources: written(settings.resources),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ['ALL'] },
    },
    ...(volumeMounts === undefined ? {} : { volumeMounts }),
  };
}

function probe(path: string, periodSeconds: number) {
  return { httpGet: { path, port: 'health' }, periodSeconds, timeoutSeconds: 2 };
}

/** Resources with quantities as strings, as the API server stores them; a spec may have numbers. */
function written(resources: NonNullable<AgentOverrides['resources']>): Record<string, Record<string, string>> {
  return Object.fromEntries(
    Object.entries(resources).map(([kind, quantities]) => [
      kind,
      Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [name, String(quantity)])),
    ]),
  );
}

export interface AgentDeployment extends Pick<DeploymentSpec, 'strategy' | 'progressDeadlineSeconds'> {
  /** Labels that select the agent's pods. They can never change. */
  selector: Record<string, string>;
  /** Annotations of the pods. */
  annotations: Record<string, string>;
  pod: PodSpec;
}

/** The Deployment of one agent. Its pods have the Deployment's labels. */
export function agentDeployment(
  metadata: WorkloadMetadata,
  { selector, annotations, pod, ...rollOut }: AgentDeployment,
): Draft<Deployment> {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      replicas: 1,
      revisionHistoryLimit: 2,
      ...rollOut,
      selector: { matchLabels: selector },
      template: { metadata: { labels: metadata.labels, annotations }, spec: pod },
    },
  };
}

/** A pod with only what the manager reads of it: a pod has 10 kB. */
export function trimmedPod({ apiVersion, kind, metadata, spec, status }: Pod): Pod {
  return {
    apiVersion,
    kind,
    metadata,
    ...(spec === undefined
      ? {}
      : {
          spec: {
            containers: spec.containers.map(({ name, image }) => ({ name, ...(image === undefined ? {} : { image }) })),
          },
        }),
    ...(status === undefined
      ? {}
      : {
          status: {
            ...(status.phase === undefined ? {} : { phase: status.phase }),
            ...(status.hostIP === undefined ? {} : { hostIP: status.hostIP }),
            ...(status.conditions === undefined ? {} : { conditions: status.conditions }),
            ...(status.containerStatuses === undefined ? {} : { containerStatuses: status.containerStatuses }),
          },
        }),
  };
}

/** Whether the pod has the condition Ready. */
export function isPodReady({ status }: Pod): boolean {
  return status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
}

/** The message of the kubelet or the scheduler about a pod that is not Ready, or ''. */
export function podTrouble(pod: Pod): string {
  const unscheduled = pod.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (unscheduled !== undefined) return sentence(unscheduled.reason, unscheduled.message);
  const container = pod.status?.containerStatuses?.find(({ name }) => name === AGENT_CONTAINER);
  const { waiting, terminated = container?.lastState?.terminated } = container?.state ?? {};
  if (waiting !== undefined) return sentence(waiting.reason, waiting.message);
  if (isPodReady(pod) || terminated === undefined) return '';
  return sentence(terminated.reason, terminated.message ?? `exit ${terminated.exitCode}`);
}

function sentence(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(': ');
}

/** The image of the agent's container. */
export function agentImage({ spec }: Pod): string | undefined {
  return spec?.containers.find(({ name }) => name === AGENT_CONTAINER)?.image;
}
