import { timestamp, type Draft, type Pod } from '@groundcrew/controller-runtime';
import { networkNameOf, podInterfaceName } from '../kubevirt/defaults.ts';
import { DEFAULT_GRACE_PERIOD, type VirtualMachineInstance } from '../kubevirt/objects.ts';
import { networkKey, NETWORKS_ANNOTATION } from '../networks/net-attach-def.ts';

/** On the pods of all instances. */
export const LAUNCHER_SELECTOR = 'kubevirt.io=virt-launcher';
/** On the pods of one instance, with its uid. */
export const CREATED_BY = 'kubevirt.io/created-by';
/** On a pod that a migration made, with that migration's uid. */
export const MIGRATION_JOB = 'kubevirt.io/migrationJobUID';
/** On an instance and its pod: where they are. */
export const NODE_NAME = 'kubevirt.io/nodeName';

export const LAUNCHER_IMAGE = 'quay.io/kubevirt/virt-launcher:v1.8.4';

/** Seconds that the pod is given beyond the guest's own grace period, for libvirt to end. */
const LAUNCHER_GRACE = 15;

/** Names of the launcher pod's one container and of its readiness gate. */
const CONTAINER = 'compute';
const UNPAUSED = 'kubevirt.io/virtual-machine-unpaused';

type PodStatus = NonNullable<Pod['status']>;

/** The pod that an instance's guest runs in, already bound to its node (`services/template.go`). */
export function launcherPodOf(vmi: VirtualMachineInstance, nodeName: string, migration?: string): Draft<Pod> {
  const { name, namespace, uid = '', labels } = vmi.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: `virt-launcher-${name}-`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        ...labels,
        'kubevirt.io': 'virt-launcher',
        [CREATED_BY]: uid,
        'vm.kubevirt.io/name': name,
        ...(migration === undefined ? {} : { [MIGRATION_JOB]: migration }),
      },
      annotations: {
        'kubevirt.io/domain': name,
        'kubectl.kubernetes.io/default-container': CONTAINER,
        ...networksAnnotation(vmi),
      },
      ownerReferences: [
        {
          apiVersion: 'kubevirt.io/v1',
          kind: 'VirtualMachineInstance',
          name,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      nodeName,
      hostname: name.slice(0, 63),
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: (vmi.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_PERIOD) + LAUNCHER_GRACE,
      readinessGates: [{ conditionType: UNPAUSED }],
      containers: [{ name: CONTAINER, image: LAUNCHER_IMAGE, command: ['/usr/bin/virt-launcher-monitor'] }],
    },
  };
}

/** What Multus is asked to attach the pod to (`network/multus/annotation.go`). */
function networksAnnotation({ metadata, spec }: VirtualMachineInstance): Record<string, string> {
  const selections = (spec.networks ?? []).flatMap((network) => {
    const attached = networkNameOf(network);
    if (attached === undefined) return [];
    const [namespace = '', name = ''] = networkKey(attached, metadata.namespace ?? '').split('/');
    const mac = spec.domain.devices?.interfaces?.find((nic) => nic.name === network.name)?.macAddress;
    return [{ name, namespace, ...(mac === undefined ? {} : { mac }), interface: podInterfaceName(network.name) }];
  });
  return selections.length === 0 ? {} : { [NETWORKS_ANNOTATION]: JSON.stringify(selections) };
}

/** The status of a pod whose launcher runs. */
export function runningStatus(ip: string | undefined, now: number): Partial<PodStatus> {
  const time = timestamp(now);
  return {
    phase: 'Running',
    hostIP: '127.0.0.1',
    startTime: time,
    ...(ip === undefined ? {} : { podIP: ip, podIPs: [{ ip }] }),
    conditions: [
      ...['PodScheduled', 'Initialized', 'ContainersReady', UNPAUSED].map((type) => condition(type, 'True', time)),
      condition('Ready', 'True', time),
    ],
    containerStatuses: [containerStatus({ running: { startedAt: time } }, true)],
  };
}

/** The status of a pod whose launcher has ended, well or not. */
export function endedStatus(succeeded: boolean, now: number): Partial<PodStatus> {
  const time = timestamp(now);
  const exitCode = succeeded ? 0 : 1;
  const terminated = { exitCode, reason: succeeded ? 'Completed' : 'Error', finishedAt: time };
  return {
    phase: succeeded ? 'Succeeded' : 'Failed',
    conditions: ['Ready', 'ContainersReady'].map((type) => condition(type, 'False', time)),
    containerStatuses: [containerStatus({ terminated }, false)],
  };
}

/** What decides whether a pod is ready. */
export interface Readiness {
  /** The guest is not paused. */
  unpaused: boolean;
  /** The node answers. */
  reachable: boolean;
}

/**
 * The conditions of a pod, with its readiness gate as virt-controller sets it (`syncPausedConditionToPod`), and Ready as
 * the kubelet makes it of that (`GeneratePodReadyCondition`), or the control plane for a lost node.
 */
export function conditionsAfter(pod: Pod, { unpaused, reachable }: Readiness, now: number): PodStatus['conditions'] {
  const time = timestamp(now);
  const gate = unpaused
    ? { reason: 'NotPaused', message: 'the virtual machine is not paused' }
    : { reason: 'Paused', message: 'the virtual machine is paused' };
  const closed = {
    reason: 'ReadinessGatesNotReady',
    message: `the status of pod readiness gate "${UNPAUSED}" is not "True", but False`,
  };
  return [
    ...(pod.status?.conditions ?? []).filter(({ type }) => type !== 'Ready' && type !== UNPAUSED),
    { ...condition(UNPAUSED, unpaused ? 'True' : 'False', time), ...gate },
    { ...condition('Ready', unpaused && reachable ? 'True' : 'False', time), ...(unpaused ? {} : closed) },
  ];
}

/** Whether the pod's conditions say so already. */
export function isMarked(pod: Pod, { unpaused, reachable }: Readiness): boolean {
  const isOpen = pod.status?.conditions?.find(({ type }) => type === UNPAUSED)?.status !== 'False';
  return isOpen === unpaused && (readyOf(pod)?.status === 'True') === (unpaused && reachable);
}

export function readyOf(pod: Pod): NonNullable<PodStatus['conditions']>[0] | undefined {
  return pod.status?.conditions?.find(({ type }) => type === 'Ready');
}

/** Its launcher has ended, whether or not the pod is still there. */
export function hasEnded(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

/**
 * Of an instance's pods the one that its guest runs in: the one on the instance's node; before the instance has a
 * node, the one that no migration made.
 */
export function launcherOf(vmi: VirtualMachineInstance, pods: readonly Pod[]): Pod | undefined {
  const node = vmi.status?.nodeName;
  const candidates = pods.filter((pod) =>
    node === undefined ? pod.metadata.labels?.[MIGRATION_JOB] === undefined : pod.spec?.nodeName === node,
  );
  return candidates.find((pod) => !hasEnded(pod)) ?? candidates[0];
}

function condition(type: string, status: string, lastTransitionTime: string): NonNullable<PodStatus['conditions']>[0] {
  return { type, status, lastTransitionTime };
}

function containerStatus(
  state: NonNullable<NonNullable<PodStatus['containerStatuses']>[0]['state']>,
  ready: boolean,
): NonNullable<PodStatus['containerStatuses']>[0] {
  return { name: CONTAINER, image: LAUNCHER_IMAGE, imageID: '', restartCount: 0, ready, started: ready, state };
}
