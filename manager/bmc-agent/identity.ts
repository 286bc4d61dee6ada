import { LABELS, VIRTUAL_MACHINE_BMCS, type VirtualMachineBMC } from '../../api/index.ts';
import { apiVersionOf, type KubeObject, type OwnerReference } from '@groundcrew/controller-runtime';

/** Selects the objects of BMC agents; the caches hold only these. */
export const CHILD_SELECTOR = `${LABELS.managedBy}=groundcrew,${LABELS.component}=bmc-agent`;

/** Annotation of the manager's objects with the digest of the last applied draft. */
export const APPLIED_ANNOTATION = 'bmc.kubevirt.io/applied';

/** Annotation of the pod template and its pods that identifies the template. */
export const TEMPLATE_HASH_ANNOTATION = 'bmc.kubevirt.io/template-hash';

/** Makes an object a child of the BMC: it is deleted with the BMC, and its changes trigger a reconcile. */
export function ownerReference(bmc: VirtualMachineBMC): OwnerReference {
  return {
    apiVersion: apiVersionOf(VIRTUAL_MACHINE_BMCS),
    kind: VIRTUAL_MACHINE_BMCS.kind,
    name: bmc.metadata.name,
    uid: bmc.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The object's controller, if it has one. An object has at most one. */
export function controllerOf(object: Pick<KubeObject, 'metadata'>): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}
