import type { JsonPatchOp, VirtualMachine } from '../../../api/index.ts';

/**
 * On a VirtualMachine: uid of the VMI after whose end the BMC is to power the machine on. KubeVirt queues a start
 * behind a stop for some run strategies only; for the others the intent has to stand where no crash can lose it.
 */
const ANNOTATION = 'bmc.kubevirt.io/power-on-after';
const PATH = '/metadata/annotations/bmc.kubevirt.io~1power-on-after';

/** The uid that is noted on a VM, or undefined. */
export function powerOnAfter(vm: VirtualMachine): string | undefined {
  return vm.metadata.annotations?.[ANNOTATION];
}

/** Notes a uid on the VM that was read, or with undefined removes the note; empty where it is so already. */
export function powerOnAfterPatch(vm: VirtualMachine, uid: string | undefined): JsonPatchOp[] {
  const { annotations } = vm.metadata;
  const noted = powerOnAfter(vm);
  if (noted === uid) return [];
  const guard: JsonPatchOp = { op: 'test', path: '/metadata/uid', value: vm.metadata.uid };
  if (uid === undefined) return [guard, { op: 'test', path: PATH, value: noted }, { op: 'remove', path: PATH }];
  if (annotations === undefined) {
    return [guard, { op: 'add', path: '/metadata/annotations', value: { [ANNOTATION]: uid } }];
  }
  return [guard, { op: 'add', path: PATH, value: uid }];
}
