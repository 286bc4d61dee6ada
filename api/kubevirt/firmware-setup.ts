import type { JsonPatchOp } from './json-patch-op.ts';
import { unchangedSince, type Annotated } from './template-notes.ts';
import type { StartStrategy, VirtualMachine } from './virtual-machine.ts';

/** How often a machine stops in its firmware; `Continuous`: at every start, until it is taken away. */
export type FirmwareSetup = 'Once' | 'Continuous';

/**
 * On a VirtualMachine's template, beside `startStrategy: Paused`, from where KubeVirt copies it to the VMI: `Once` or `Continuous`. Whose VMI
 * has it was started paused for its firmware's boot menu alone, which KubeVirt shows for 10 s to what is started so (virt-launcher,
 * `configureBootMenu`), and is to go on; a VMI without it is paused because its owner wants it so.
 */
export const FIRMWARE_SETUP_ANNOTATION = 'bmc.kubevirt.io/firmware-setup';

const START_STRATEGY = '/spec/template/spec/startStrategy';

/** What the metadata of a template or a VMI says; undefined: nothing, or what nobody of us wrote. */
export function firmwareSetupOf(metadata: Annotated | null | undefined): FirmwareSetup | undefined {
  const note = metadata?.annotations?.[FIRMWARE_SETUP_ANNOTATION];
  return note === 'Once' || note === 'Continuous' ? note : undefined;
}

/** Whether a VMI was made from a template that says what the VM's says now. */
export function carriesFirmwareSetup(vmi: Annotated, vm: VirtualMachine): boolean {
  return firmwareSetupOf(vmi) === firmwareSetupOf(vm.spec.template.metadata);
}

/** Operations that make the template's start strategy this one, or with undefined none; none where it is so. */
export function startStrategyPatch(vm: VirtualMachine, wanted: StartStrategy | undefined): JsonPatchOp[] {
  const { startStrategy } = vm.spec.template.spec;
  if (startStrategy === wanted) return [];
  const guard: JsonPatchOp =
    startStrategy === undefined ? unchangedSince(vm) : { op: 'test', path: START_STRATEGY, value: startStrategy };
  if (wanted === undefined) return [guard, { op: 'remove', path: START_STRATEGY }];
  return [guard, { op: 'add', path: START_STRATEGY, value: wanted }];
}
