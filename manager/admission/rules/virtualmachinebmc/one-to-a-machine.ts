import type { BmcRule } from './inputs.ts';

/** A second BMC of a virtual machine serves it when the first is gone: a condition says so, and this beforehand. */
export const oneToAMachine: BmcRule = ({ spec }, _old, { rivals }) => {
  const [first] = rivals.toSorted((a, b) => age(a).localeCompare(age(b)));
  if (first === undefined) return {};
  return {
    warnings: [
      `spec.virtualMachineRef.name: VirtualMachine ${spec.virtualMachineRef.name} has VirtualMachineBMC ${first.metadata.name}; of several the oldest serves it`,
    ],
  };
};

function age({ metadata }: { metadata: { creationTimestamp?: string; uid?: string } }): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.uid ?? ''}`;
}
