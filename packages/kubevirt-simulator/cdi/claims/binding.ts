import { ANNOTATIONS } from '../annotations.ts';
import type { Claim, StorageClass } from '../objects.ts';

/** The StorageClass that the stand-in makes, and who serves it and any other that names it. */
export const CLASS_NAME = 'sandbox';
export const PROVISIONER = 'storage.sandbox.kubevirt.io';

/** Kept on a claim by API servers until nothing uses it. */
const PROTECTION = 'kubernetes.io/pvc-protection';

const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class';
const IS_DEFAULT_FOR_VMS = 'storageclass.kubevirt.io/is-default-virt-class';

/** What is to be done to a claim next, one write at a time. */
export type BindingStep =
  | { type: 'none' }
  | { type: 'release'; finalizers: string[] }
  | { type: 'classify'; storageClassName: string }
  | { type: 'provision'; volumeName: string }
  | { type: 'bind'; status: NonNullable<Claim['status']> };

const NONE: BindingStep = { type: 'none' };

/** As Kubernetes' volume controllers and a provisioner would, but that there is no volume behind it. */
export function bindingOf(claim: Claim, classes: readonly StorageClass[]): BindingStep {
  if (claim.metadata.deletionTimestamp !== undefined) return releaseOf(claim);
  if (claim.status?.phase === 'Bound' || claim.status?.phase === 'Lost') return NONE;
  const name = claim.spec?.storageClassName;
  if (name === undefined) {
    const storageClassName = defaultClass(classes);
    return storageClassName === undefined ? NONE : { type: 'classify', storageClassName };
  }
  const storageClass = classes.find((candidate) => candidate.metadata.name === name);
  if (storageClass?.provisioner !== PROVISIONER) return NONE;
  const isPlaced = claim.metadata.annotations?.[ANNOTATIONS.selectedNode] !== undefined;
  return waitsForConsumer(storageClass) && !isPlaced ? NONE : provisionOf(claim);
}

function releaseOf({ metadata: { finalizers = [] } }: Claim): BindingStep {
  if (!finalizers.includes(PROTECTION)) return NONE;
  return { type: 'release', finalizers: finalizers.filter((finalizer) => finalizer !== PROTECTION) };
}

function provisionOf({ metadata, spec = {} }: Claim): BindingStep {
  if (spec.volumeName === undefined) return { type: 'provision', volumeName: `pvc-${metadata.uid ?? ''}` };
  const capacity = { storage: spec.resources?.requests?.['storage'] ?? '0' };
  return { type: 'bind', status: { phase: 'Bound', accessModes: spec.accessModes ?? [], capacity } };
}

/** The class of claims that name none: the one for VMs before the one for all. */
export function defaultClass(classes: readonly StorageClass[]): string | undefined {
  const annotated = (annotation: string): StorageClass | undefined =>
    classes.find(({ metadata }) => metadata.annotations?.[annotation] === 'true');
  return (annotated(IS_DEFAULT_FOR_VMS) ?? annotated(IS_DEFAULT))?.metadata.name;
}

/** Its volumes are made where the first pod that uses them is put. */
export function waitsForConsumer(storageClass: StorageClass | undefined): boolean {
  return storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
}
