import jsonPatch, { type Operation } from 'fast-json-patch';
import type { JsonPatchOp } from '../template-notes.ts';
import type { Domain, StateChangeRequest, VirtualMachine } from '../virtual-machine.ts';
import type { VirtualMachineInstance, VirtualMachineInstancePhase } from '../virtual-machine-instance.ts';

/** A stopped VM with these devices and firmware. */
export function aVm(domain: Partial<Domain> = {}, requests?: StateChangeRequest[]): VirtualMachine {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'testvm', namespace: 'default', uid: 'vm-1', resourceVersion: '1' },
    spec: { runStrategy: 'Manual', template: { spec: { domain: { devices: {}, ...domain } } } },
    ...(requests === undefined ? {} : { status: { stateChangeRequests: requests } }),
  };
}

/** A VMI from the template of the VM. */
export function aVmi(phase?: VirtualMachineInstancePhase, vm: VirtualMachine = aVm()): VirtualMachineInstance {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'testvm', namespace: 'default', uid: 'vmi-1' },
    spec: structuredClone(vm.spec.template.spec),
    status: phase === undefined ? {} : { phase },
  };
}

export function beingDeleted<T extends VirtualMachineInstance>(vmi: T): T {
  return { ...vmi, metadata: { ...vmi.metadata, deletionTimestamp: '2026-11-21T00:00:00Z' } };
}

/** The VM after a patch, as the API server applies it: completely or not at all. */
export function patched(vm: VirtualMachine, ops: readonly JsonPatchOp[] = []): VirtualMachine {
  return jsonPatch.applyPatch(structuredClone(vm), structuredClone(ops) as Operation[], true).newDocument;
}
