import { agentName, agentLabels, LABELS, labelValue, type VirtualMachineBMC } from '../../../api/index.ts';
import { ownerReference } from '../../bmc-agent/index.ts';

/** Metadata of a child with the agent's name. */
export function childMetadata(bmc: VirtualMachineBMC) {
  return {
    name: agentName(bmc.spec.virtualMachineRef.name),
    namespace: bmc.metadata.namespace ?? '',
    labels: childLabels(bmc),
    ownerReferences: [ownerReference(bmc)],
  };
}

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
