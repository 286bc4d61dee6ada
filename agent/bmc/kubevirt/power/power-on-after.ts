import type { JsonPatchOp, VirtualMachine } from '../../../../api/index.ts';

/**
 * On a VirtualMachine: uid of the VMI after whose end the BMC is to power the machine on. KubeVirt queues a start
 * behind a stop for some run strategies only; for the others the intent has to stand where no crash can lose it.
 */
const ANNOTATION = 'bmc.kubevirt.io/power-on-after';
const PATH = '/metadata/annotations/bmc.kubevirt.io~1power-on-after';
/** Follows the uid from just before an agent starts the machine until that has been answered. */
const CLAIM = ' starting';

/** The uid that is noted on a VM, or undefined. */
export function powerOnAfter(vm: VirtualMachine): string | undefined {
  const note = noteOn(vm);
  return note?.endsWith(CLAIM) === true ? note.slice(0, -CLAIM.length) : note;
}

/** Whether an agent is about to start the machine as noted: a start that nobody can call back may be on its way. */
export function isClaimed(vm: VirtualMachine): boolean {
  return noteOn(vm)?.endsWith(CLAIM) === true;
}

/** Notes a uid on the VM that was read, or with undefined removes the note; empty where it is so already. */
export function powerOnAfterPatch(vm: VirtualMachine, uid: string | undefined): JsonPatchOp[] {
  const { annotations } = vm.metadata;
  const note = noteOn(vm);
  if (note === uid) return [];
  const guard: JsonPatchOp = { op: 'test', path: '/metadata/uid', value: vm.metadata.uid };
  if (uid === undefined) return [guard, { op: 'test', path: PATH, value: note }, { op: 'remove', path: PATH }];
  if (annotations === undefined) {
    return [guard, { op: 'add', path: '/metadata/annotations', value: { [ANNOTATION]: uid } }];
  }
  return [guard, { op: 'add', path: PATH, value: uid }];
}

/** Claims the note on the VM that was read, if it stands there still; empty where it is claimed. */
export function claimPatch(vm: VirtualMachine): JsonPatchOp[] {
  const note = noteOn(vm);
  if (note === undefined || isClaimed(vm)) return [];
  return [
    { op: 'test', path: '/metadata/uid', value: vm.metadata.uid },
    { op: 'test', path: PATH, value: note },
    { op: 'replace', path: PATH, value: note + CLAIM },
  ];
}

function noteOn(vm: VirtualMachine): string | undefined {
  return vm.metadata.annotations?.[ANNOTATION];
}
