import { LABELS, VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINES, type VirtualMachineBMC } from '../../api/index.ts';
import {
  CachedWatch,
  PODS,
  SECRETS,
  type CachedWatchOptions,
  type Kind,
  type KubeObject,
  type ObjectMeta,
  type ObjectRef,
  type Pod,
  type Secret,
} from '@groundcrew/controller-runtime';
import { CHILD_KINDS, type ChildName, type ChildObjects } from './children/children.ts';
import { childMetadata } from './children/child-metadata.ts';
import { CERTIFICATE_SELECTOR, CHILD_SELECTOR } from './children/labels.ts';
import { controllerOf } from './children/owner-reference.ts';

export type CacheOptions = Pick<
  CachedWatchOptions<KubeObject>,
  'client' | 'clock' | 'random' | 'logger' | 'metrics' | 'namespace'
>;

/** What the controller reads: its resources, the virtual machines, and of everything else only what it made itself. */
export interface Caches {
  bmcs: CachedWatch<VirtualMachineBMC>;
  /** Metadata alone: that a virtual machine is there is all that is asked of it. */
  virtualMachines: CachedWatch<KubeObject>;
  pods: CachedWatch<Pod>;
  /** With certificates. */
  certificates: CachedWatch<Secret>;
  children: { [K in ChildName]: CachedWatch<ChildObjects[K]> };
}

/** Index of BMCs by `namespacedKey` of the virtual machine that they name. */
export const BY_VIRTUAL_MACHINE = 'virtualMachine';

/** Index of BMCs by `namespacedKey` of the label value that stands for the virtual machine. */
export const BY_VIRTUAL_MACHINE_LABEL = 'virtualMachineLabel';

/** Index of pods by `namespacedKey` of the BMC that their label names. */
export const BY_BMC = 'bmc';

/** Index of children by the uid of the BMC that owns them. */
export const BY_OWNER = 'owner';

export function createCaches(options: CacheOptions): Caches {
  const child = <T extends KubeObject>(kind: Kind<T>) =>
    new CachedWatch<T>({
      ...options,
      kind,
      labelSelector: CHILD_SELECTOR,
      indexes: { [BY_OWNER]: (object) => [controllerOf(object)?.uid ?? ''] },
    });
  return {
    bmcs: new CachedWatch({
      ...options,
      kind: VIRTUAL_MACHINE_BMCS,
      indexes: {
        [BY_VIRTUAL_MACHINE]: (bmc) => [namespacedKey(virtualMachineOf(bmc))],
        [BY_VIRTUAL_MACHINE_LABEL]: (bmc) => [namespacedKey(labelledVirtualMachine(childMetadata(bmc)))],
      },
    }),
    virtualMachines: new CachedWatch<KubeObject>({
      ...options,
      kind: VIRTUAL_MACHINES,
      transform: ({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }),
    }),
    pods: new CachedWatch({
      ...options,
      kind: PODS,
      labelSelector: CHILD_SELECTOR,
      indexes: { [BY_BMC]: (pod) => [namespacedKey(labelledBmc(pod.metadata))] },
    }),
    certificates: new CachedWatch({
      ...options,
      kind: SECRETS,
      labelSelector: CERTIFICATE_SELECTOR,
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

/** All of them, to be run. */
export function allCaches({ bmcs, virtualMachines, pods, certificates, children }: Caches): CachedWatch<KubeObject>[] {
  // A cache of one kind is a cache of objects to all that runs and waits for it.
  return [
    bmcs,
    virtualMachines,
    pods,
    certificates,
    ...Object.values(children),
  ] as unknown as CachedWatch<KubeObject>[];
}

/** Where the virtual machine that a BMC names would be. */
export function virtualMachineOf({ metadata, spec }: VirtualMachineBMC): ObjectRef {
  return { namespace: metadata.namespace ?? '', name: spec.virtualMachineRef.name };
}

/** The BMC that a child's label names: a BMC's name has at most 63 characters, so the label holds it whole. */
export function labelledBmc({ namespace = '', labels = {} }: Labelled): ObjectRef {
  return { namespace, name: labels[LABELS.bmc] ?? '' };
}

/** The value of a child's label for the virtual machine, which is its name where that is not too long. */
export function labelledVirtualMachine({ namespace = '', labels = {} }: Labelled): ObjectRef {
  return { namespace, name: labels[LABELS.virtualMachine] ?? '' };
}

type Labelled = Pick<ObjectMeta, 'namespace' | 'labels'>;

export function namespacedKey({ namespace = '', name }: ObjectRef): string {
  return `${namespace}/${name}`;
}
