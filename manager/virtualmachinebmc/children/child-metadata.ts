import { agentName, type VirtualMachineBMC } from '../../../api/index.ts';
import { childLabels } from './labels.ts';
import { ownerReference } from './owner-reference.ts';

/** Metadata of a child with the agent's name. */
export function childMetadata(bmc: VirtualMachineBMC) {
  return {
    name: agentName(bmc.spec.virtualMachineRef.name),
    namespace: bmc.metadata.namespace ?? '',
    labels: childLabels(bmc),
    ownerReferences: [ownerReference(bmc)],
  };
}
