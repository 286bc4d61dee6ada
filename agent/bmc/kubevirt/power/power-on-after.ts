import type { JsonPatchOp, VirtualMachine } from '../../../../api/index.ts';

/**
 * On a VirtualMachine: the uid of the VMI after whose end the BMC powers the machine on. KubeVirt queues a start behind a
 * stop only for some run strategies. For the others this note keeps the intent through a crash of the agent. It is
 * written before the stop, so that no stop is without its start.
 */
const ANNOTATION = 'bmc.kubevirt.io/power-on-after';
const PATH = '/metadata/annotations/bmc.kubevirt.io~1power-on-after';
/** Follows the uid while an agent is starting the machine. */
const CLAIM = ' starting';

/** The noted uid. */
export function powerOnAfter(vm: VirtualMachine | undefined): string | undefined {
  const note = vm && noteOn(vm);
  return note?.endsWith(CLAIM) === true ? note.slice(0, -CLAIM.length) : note;
}

/** Whether an agent is starting the machine as noted. The start can no longer be cancelled. */
export function isClaimed(vm: VirtualMachine): boolean {
  return noteOn(vm)?.endsWith(CLAIM) === true;
}

/** A patch that notes a uid, or with undefined removes the note. Empty if there is nothing to change. Fails if the VM has changed. */
export function powerOnAfterPatch(vm: VirtualMachine, uid: string | undefined): JsonPatchOp[] {
  const { annotations } = vm.metadata;
  const note = noteOn(vm);
  if (note === uid) return [];
  const guard: JsonPatchOp = { op: 'test', path: '/metadata/uid', value: vm.metadata.uid };
  if (uid === undefined) return [guard, { op: 'test', path: PATH, value: note }, { op: 'remove', path: PATH }];
  if (annotations === undefined) {
    // `add` would replace annotations that others have added since.
    return [guard, unchanged(vm), { op: 'add', path: '/metadata/annotations', value: { [ANNOTATION]: uid } }];
  }
  return [guard, { op: 'add', path: PATH, value: uid }];
}

/** A patch that removes the note of a stop that was not accepted. KubeVirt records each stop in the VM; the patch then fails. */
export function takeBackPatch(vm: VirtualMachine): JsonPatchOp[] {
  return [unchanged(vm), ...powerOnAfterPatch(vm, undefined)];
}

/** A patch that claims the note. Empty if it is claimed already. Fails if the note has changed. */
export function claimPatch(vm: VirtualMachine): JsonPatchOp[] {
  const note = noteOn(vm);
  if (note === undefined || isClaimed(vm)) return [];
  return [
    { op: 'test', path: '/metadata/uid', value: vm.metadata.uid },
    { op: 'test', path: PATH, value: note },
    { op: 'replace', path: PATH, value: note + CLAIM },
  ];
}

function unchanged({ metadata }: VirtualMachine): JsonPatchOp {
  return { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion };
}

function noteOn(vm: VirtualMachine): string | undefined {
  return vm.metadata.annotations?.[ANNOTATION];
}
