import jsonPatch, { type Operation } from 'fast-json-patch';
import { describe, expect, it } from 'vitest';
import { bootOrderPatch, carriesOrder, NoBootDeviceError, restorePatch, savedBootOf } from './boot-order.ts';
import { carriesFirmwareSetup, firmwareSetupOf } from './firmware-setup.ts';
import type { JsonPatchOp } from './json-patch-op.ts';
import { aVm, aVmi } from './testing/builders.ts';
import type { VirtualMachine } from './virtual-machine.ts';

const choice = { target: 'BiosSetup', setup: 'Once' } as const;
const NOTE = 'bmc.kubevirt.io/firmware-setup';

/** As the API server applies it: all or nothing. */
function patched(vm: VirtualMachine, ops: JsonPatchOp[]): VirtualMachine {
  return jsonPatch.applyPatch(structuredClone(vm), structuredClone(ops) as Operation[], true).newDocument;
}

function changed(vm: VirtualMachine, change: (vm: VirtualMachine) => unknown): VirtualMachine {
  const copy = structuredClone(vm);
  change(copy);
  return copy;
}

const disks = [{ name: 'root', bootOrder: 1, disk: {} }];
const plain = changed(aVm({ devices: { disks } }), (vm) => (vm.metadata.resourceVersion = '7'));

describe("a way into the firmware's setup", () => {
  it.each<[string, VirtualMachine]>([
    ['that starts as KubeVirt has it', plain],
    ['with annotations', changed(plain, (vm) => (vm.spec.template.metadata = { annotations: { own: 'yes' } }))],
    ['that its owner starts paused', changed(plain, (vm) => (vm.spec.template.spec.startStrategy = 'Paused'))],
  ])('is written to a VM %s and taken out again, and leaves the boot order alone', (_what, vm) => {
    const saved = savedBootOf(vm, choice);
    const written = patched(vm, bootOrderPatch(vm, choice));
    expect(firmwareSetupOf(written.spec.template.metadata)).toBe('Once');
    expect(written.spec.template.spec).toEqual({ ...vm.spec.template.spec, startStrategy: 'Paused' });
    expect(patched(written, restorePatch(written, saved))).toEqual(vm);
    expect(restorePatch(vm, saved)).toEqual([]);
  });

  it('goes with another firmware, which is given back exactly', () => {
    const bootloader = { efi: { secureBoot: false, persistent: true } };
    const vm = changed(plain, ({ spec }) => (spec.template.spec.domain.firmware = { uuid: 'u', bootloader }));
    const saved = savedBootOf(vm, choice, 'Legacy');
    const written = patched(vm, bootOrderPatch(vm, choice, 'Legacy'));
    expect(written.spec.template.spec.domain.firmware?.bootloader).toEqual({ bios: {} });
    expect(patched(written, restorePatch(written, saved))).toEqual(vm);
  });

  it('is not written over what others have changed meanwhile, nor taken out', () => {
    const later = changed(plain, (vm) => (vm.metadata.resourceVersion = '8'));
    expect(() => patched(later, bootOrderPatch(plain, choice))).toThrow('Test operation failed');
    const written = patched(plain, bootOrderPatch(plain, choice));
    const taken = changed(written, (vm) => delete vm.spec.template.spec.startStrategy);
    expect(() => patched(taken, restorePatch(written, savedBootOf(plain, choice)))).toThrow();
    expect(patched(taken, restorePatch(taken, savedBootOf(plain, choice)))).toEqual(plain);
  });

  it('is refused of what KubeVirt does not start paused', () => {
    const probed = changed(plain, (vm) => (vm.spec.template.spec.livenessProbe = {}));
    expect(() => savedBootOf(probed, choice)).toThrow(NoBootDeviceError);
  });

  it('is on a VMI that was made with it, which another start has to follow when it is gone', () => {
    const noted = changed(plain, (vm) => (vm.spec.template.metadata = { annotations: { [NOTE]: 'Once' } }));
    const vmi = aVmi('Running', plain);
    expect(carriesOrder(vmi, plain)).toBe(true);
    expect(carriesOrder(vmi, noted)).toBe(false);
    expect(carriesFirmwareSetup({ annotations: { [NOTE]: 'Once' } }, noted)).toBe(true);
    expect(firmwareSetupOf({ annotations: { [NOTE]: 'Twice' } })).toBeUndefined();
    expect([firmwareSetupOf(undefined), firmwareSetupOf(null)]).toEqual([undefined, undefined]);
  });
});
