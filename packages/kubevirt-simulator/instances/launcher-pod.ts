import { timestamp, type Draft, type Pod } from '@groundcrew/controller-runtime';
import { networkNameOf, podInterfaceName } from '../kubevirt/defaults.ts';
import { DEFAULT_GRACE_PERIOD, type VirtualMachineInstance } from '../kubevirt/objects.ts';
import { networkKey, NETWORKS_ANNOTATION } from '../networks/net-attach-def.ts';
import { withReady, type PodStatus } from './pod-status.ts';

/** On the pods of all instances. */
export const LAUNCHER_SELECTOR = 'kubevirt.io=virt-launcher';
/** On the pods of one instance, with its uid. */
export const CREATED_BY = 'kubevirt.io/created-by';
/** Label of a migration's pod: the migration's uid. */
export const MIGRATION_JOB = 'kubevirt.io/migrationJobUID';
/** Label of an instance and its pod: the node. */
export const NODE_NAME = 'kubevirt.io/nodeName';

export const LAUNCHER_IMAGE = 'quay.io/kubevirt/virt-launcher:v1.8.4';

/** Seconds of grace in addition to the guest's grace period, for libvirt. */
const LAUNCHER_GRACE = 15;

/** Names of the launcher pod's one container and of its readiness gate. */
const CONTAINER = 'compute';
const UNPAUSED = 'kubevirt.io/virtual-machine-unpaused';

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

/** The networks for Multus (`network/multus/annotation.go`). */
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

/** What decides whether a pod is ready. */
export interface Readiness {
  /** The guest is not paused. */
  unpaused: boolean;
  /** The node answers. */
  reachable: boolean;
}

/** The pod with its readiness gate as virt-controller sets it (`syncPausedConditionToPod`). */
export function gated(pod: Pod, unpaused: boolean, now: number): Pod {
  const gate = {
    type: UNPAUSED,
    status: unpaused ? 'True' : 'False',
    reason: unpaused ? 'NotPaused' : 'Paused',
    message: `the virtual machine is ${unpaused ? 'not ' : ''}paused`,
    lastTransitionTime: timestamp(now),
  };
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== UNPAUSED);
  return { ...pod, status: { ...pod.status, conditions: [...others, gate] } };
}

/** The conditions of a pod after a change of the guest's pause or of its node. */
export function conditionsAfter(pod: Pod, { unpaused, reachable }: Readiness, now: number): PodStatus['conditions'] {
  const marked = gated(pod, unpaused, now);
  return withReady(marked, unpaused && reachable, now) ?? marked.status?.conditions;
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
 * The pod with the guest: the one on the instance's node, or, before the instance has a node, the one without a
 * migration.
 */
export function launcherOf(vmi: VirtualMachineInstance, pods: readonly Pod[]): Pod | undefined {
  const node = vmi.status?.nodeName;
  const candidates = pods.filter((pod) =>
    node === undefined ? pod.metadata.labels?.[MIGRATION_JOB] === undefined : pod.spec?.nodeName === node,
  );
  return candidates.find((pod) => !hasEnded(pod)) ?? candidates[0];
}
