import {
  agentName,
  agentLabels,
  LABELS,
  labelValue,
  VIRTUAL_MACHINE_BMCS,
  type VirtualMachineBMC,
} from '../../../api/index.ts';
import { apiVersionOf, type KubeObject, type OwnerReference } from '@groundcrew/controller-runtime';

/** Metadata of a child with the agent's name. */
export function childMetadata(bmc: VirtualMachineBMC) {
  return {
    name: agentName(bmc.spec.virtualMachineRef.name),
    namespace: bmc.metadata.namespace ?? '',
    labels: childLabels(bmc),
    ownerReferences: [ownerReference(bmc)],
  };
}

/** Selects the objects of this controller; its caches hold only these. */
export const CHILD_SELECTOR = `${LABELS.managedBy}=groundcrew,${LABELS.component}=bmc-agent`;

/** Selects the Secrets with certificates. */
export const CERTIFICATE_SELECTOR = `${LABELS.managedBy}=groundcrew,${LABELS.component}=bmc-certificate`;

/** The labels of every child of a BMC. */
export function childLabels(bmc: VirtualMachineBMC): Record<string, string> {
  return agentLabels(bmc.metadata.name, bmc.spec.virtualMachineRef.name);
}

/** The labels of the Secret with the certificate: only such Secrets are watched. */
export function certificateLabels(bmc: VirtualMachineBMC): Record<string, string> {
  return { ...childLabels(bmc), [LABELS.component]: 'bmc-certificate' };
}

/** The labels by which the Deployment and the Service select the BMC's pods. A Deployment's selector can never change. */
export function agentSelector(bmc: VirtualMachineBMC): Record<string, string> {
  return { [LABELS.bmc]: labelValue(bmc.metadata.name), [LABELS.component]: 'bmc-agent' };
}

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

/** Annotation of a BMC's children with the digest of the last applied draft. */
export const APPLIED_ANNOTATION = 'bmc.kubevirt.io/applied';
