import {
  CERTIFICATE_KEYS,
  LABELS,
  VIRTUAL_MACHINE_BMCS,
  type VirtualMachine,
  type VirtualMachineBMC,
} from '../../api/index.ts';
import {
  CachedWatch,
  metadataOf,
  NAMESPACES,
  PODS,
  SECRETS,
  type CachedWatchOptions,
  type Kind,
  type KubeObject,
  type ObjectMeta,
  type ObjectRef,
  type Pod,
  type PodDisruptionBudget,
  type Secret,
  type StatefulSet,
} from '@groundcrew/controller-runtime';
import { trimmedPod } from '../agent-workload/index.ts';
import { BY_UID } from '../networks/index.ts';
import { BY_SHARED_AGENT, createSharedAgentCaches, sharedAgentKeys } from '../sharedagent/index.ts';
import { CHILD_KINDS, type ChildName, type ChildObjects } from './children/children.ts';
import { CHILD_SELECTOR, controllerOf } from '../bmc-agent/index.ts';
import { childMetadata, CERTIFICATE_SELECTOR } from './children/identity.ts';

export type CacheOptions = Pick<
  CachedWatchOptions<KubeObject>,
  'client' | 'clock' | 'random' | 'logger' | 'metrics' | 'namespace'
>;

/** The caches of the controller: BMCs, virtual machines, and otherwise only objects that the manager created. */
export interface Caches {
  bmcs: CachedWatch<VirtualMachineBMC>;
  /** Those of the network controllers: it matters only whether a virtual machine exists, and whether it requests a BMC. */
  virtualMachines: CachedWatch<VirtualMachine>;
  pods: CachedWatch<Pod>;
  /** Secrets with certificates. */
  certificates: CachedWatch<Secret>;
  /** Metadata only: their annotations can say where BMCs are placed. */
  namespaces: CachedWatch<KubeObject>;
  statefulSets: CachedWatch<StatefulSet>;
  /** Of shared agents. */
  disruptionBudgets: CachedWatch<PodDisruptionBudget>;
  /** The Secrets that name the BMCs of shared agents. */
  memberSecrets: CachedWatch<Secret>;
  children: { [K in ChildName]: CachedWatch<ChildObjects[K]> };
}

/** Index of BMCs by `namespacedKey` of their virtual machine. */
export const BY_VIRTUAL_MACHINE = 'virtualMachine';

/** Index of BMCs by `namespacedKey` of the virtual machine's label value. */
export const BY_VIRTUAL_MACHINE_LABEL = 'virtualMachineLabel';

/** Index of pods by `namespacedKey` of the BMC in their label. */
export const BY_BMC = 'bmc';

/** Index of children by the uid of their owner BMC. */
export const BY_OWNER = 'owner';

export function createCaches(options: CacheOptions, virtualMachines: CachedWatch<VirtualMachine>): Caches {
  const child = <T extends KubeObject>(kind: Kind<T>) =>
    new CachedWatch<T>({
      ...options,
      kind,
      labelSelector: CHILD_SELECTOR,
      pack: labelledNames,
      indexes: { [BY_OWNER]: (object) => [controllerOf(object)?.uid ?? ''] },
    });
  return {
    bmcs: new CachedWatch({
      ...options,
      kind: VIRTUAL_MACHINE_BMCS,
      transform: withoutManifest,
      pack: ({ spec }) => [spec.virtualMachineRef.name, spec.authSecretRef?.name ?? ''],
      indexes: {
        [BY_VIRTUAL_MACHINE]: (bmc) => [namespacedKey(virtualMachineOf(bmc))],
        [BY_VIRTUAL_MACHINE_LABEL]: (bmc) => [namespacedKey(labelledVirtualMachine(childMetadata(bmc)))],
      },
    }),
    virtualMachines,
    pods: new CachedWatch({
      ...options,
      kind: PODS,
      labelSelector: CHILD_SELECTOR,
      transform: trimmedPod,
      pack: labelledNames,
      indexes: {
        [BY_BMC]: (pod) => [namespacedKey(labelledBmc(pod.metadata))],
        [BY_SHARED_AGENT]: sharedAgentKeys,
      },
    }),
    namespaces: namespacesOf(options),
    ...createSharedAgentCaches(options),
    certificates: new CachedWatch({
      ...options,
      kind: SECRETS,
      labelSelector: CERTIFICATE_SELECTOR,
      // All have the same authority.
      pack: (secret) => [
        ...labelledNames(secret),
        ...[CERTIFICATE_KEYS.certificate, CERTIFICATE_KEYS.key].map((key) => secret.data?.[key] ?? ''),
      ],
    }),
    children: {
      serviceAccount: child(CHILD_KINDS.serviceAccount),
      role: child(CHILD_KINDS.role),
      roleBinding: child(CHILD_KINDS.roleBinding),
      service: child(CHILD_KINDS.service),
      deployment: child(CHILD_KINDS.deployment),
    },
  };
}

/** Those that are worked in: all, or by its name the one of the other caches. */
function namespacesOf({ namespace, ...options }: CacheOptions): CachedWatch<KubeObject> {
  return new CachedWatch<KubeObject>({
    ...options,
    kind: metadataOf(NAMESPACES),
    ...(namespace === undefined ? {} : { fieldSelector: `metadata.name=${namespace}` }),
  });
}

/** The names in the labels of an object that was made for a BMC. */
function labelledNames({ metadata: { labels = {} } }: KubeObject): string[] {
  return [labels[LABELS.bmc] ?? '', labels[LABELS.virtualMachine] ?? ''];
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Of the copy that `kubectl apply` keeps it matters only whether there is one. */
function withoutManifest<T extends KubeObject>(object: T): T {
  const { annotations } = object.metadata;
  if (annotations?.[LAST_APPLIED] !== undefined) annotations[LAST_APPLIED] = '';
  return object;
}

/** All of them but those of the network controllers, to be run. */
export function allCaches({ children, virtualMachines: _, ...others }: Caches): CachedWatch<KubeObject>[] {
  // Code that runs or awaits a cache does not depend on its type.
  return [...Object.values(others), ...Object.values(children)] as unknown as CachedWatch<KubeObject>[];
}

/** Reference to the virtual machine that a BMC names. */
export function virtualMachineOf({ metadata, spec }: VirtualMachineBMC): ObjectRef {
  return { namespace: metadata.namespace ?? '', name: spec.virtualMachineRef.name };
}

/**
 * Virtual machines that the BMC has changed and no longer names: `spec.virtualMachineRef` could be changed in earlier
 * versions.
 *
 * @returns undefined if they are not known yet
 */
export function formerMachinesOf(
  bmc: VirtualMachineBMC,
  { virtualMachines }: Pick<Caches, 'virtualMachines'>,
): ObjectRef[] | undefined {
  const { bootOverride, virtualMedia = [] } = bmc.status ?? {};
  const uids = [bootOverride, ...virtualMedia].flatMap((changed) => changed?.vmUID ?? []);
  if (uids.length === 0 || virtualMachines.absent) return [];
  if (!virtualMachines.hasSynced) return undefined;
  const { namespace = '', name } = virtualMachineOf(bmc);
  return [...new Set(uids)]
    .flatMap((uid) => virtualMachines.byIndex(BY_UID, uid).map(({ metadata }) => metadata))
    .filter((vm) => vm.namespace === namespace && vm.name !== name)
    .map((vm) => ({ namespace, name: vm.name }));
}

/** The BMC in a child's label. A BMC's name has at most 63 characters, so the label is not truncated. */
export function labelledBmc({ namespace = '', labels = {} }: Labelled): ObjectRef {
  return { namespace, name: labels[LABELS.bmc] ?? '' };
}

/** The virtual machine in a child's label: its name, unless that is too long for a label. */
export function labelledVirtualMachine({ namespace = '', labels = {} }: Labelled): ObjectRef {
  return { namespace, name: labels[LABELS.virtualMachine] ?? '' };
}

type Labelled = Pick<ObjectMeta, 'namespace' | 'labels'>;

export function namespacedKey({ namespace = '', name }: ObjectRef): string {
  return `${namespace}/${name}`;
}
