import type { BmcRule } from './inputs.ts';

/** Warns about a second BMC of a virtual machine: it is not served until the first is gone. */
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
