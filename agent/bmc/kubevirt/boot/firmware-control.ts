import {
  bootModeOf,
  bootModePatch,
  type BootOverrideStatus,
  type FirmwareMode,
  overrideToUndo,
  patchedVm,
  restorePatch,
  secureBootOf,
  secureBootPatch,
  type VirtualMachine,
} from '../../../../api/index.ts';
import { MachineError } from '../../../../protocols/machine/index.ts';
import { VmEditor, type VmEditorOptions } from '../vm-editor.ts';

/** The firmware of one VM without a boot override: boot mode and Secure Boot. A VMI has it from its creation on. */
export class FirmwareControl {
  readonly #status: VmEditorOptions['status'];
  readonly #editor: VmEditor;

  constructor(options: VmEditorOptions) {
    this.#status = options.status;
    this.#editor = new VmEditor(options);
  }

  /** The VM after the last write of this process, until the watch behind `cached` has caught up. */
  latest(cached: VirtualMachine): VirtualMachine {
    return this.#editor.latest(cached);
  }

  /** The VM as it is without its boot override. */
  ownIn(vm: VirtualMachine): VirtualMachine {
    const { latest } = this.#status;
    return withoutOverride(vm, latest && overrideToUndo(latest, vm));
  }

  /** The boot mode from the next boot on; undefined: a preference chooses it. */
  modeIn(cached: VirtualMachine): FirmwareMode | undefined {
    return bootModeOf(this.ownIn(this.latest(cached)));
  }

  /** Whether the machine has Secure Boot from its next boot on; undefined if it has a BIOS or the firmware is unknown. */
  secureBootIn(cached: VirtualMachine): boolean | undefined {
    return secureBootIn(this.ownIn(this.latest(cached)));
  }

  /**
   * Resolves when it is in the template.
   *
   * @param deadline aborts all requests
   * @throws MachineError
   */
  async setMode(mode: FirmwareMode, deadline: AbortSignal): Promise<void> {
    await this.#editor.edit(({ bmc, vm }) => {
      const saved = overrideToUndo(bmc, vm);
      if (bootModeOf(withoutOverride(vm, saved)) === mode) return [];
      assertOwn(saved);
      return bootModePatch(vm, mode);
    }, deadline);
  }

  /**
   * Resolves when it is in the template.
   *
   * @param deadline aborts all requests
   * @throws MachineError
   */
  async setSecureBoot(isOn: boolean, deadline: AbortSignal): Promise<void> {
    await this.#editor.edit(({ bmc, vm }) => {
      const saved = overrideToUndo(bmc, vm);
      if (secureBootIn(withoutOverride(vm, saved)) === isOn) return [];
      if (saved?.originalFirmware !== undefined) assertOwn(saved);
      assertSwitchable(vm, isOn);
      return secureBootPatch(vm, isOn);
    }, deadline);
  }
}

function withoutOverride(vm: VirtualMachine, saved: BootOverrideStatus | undefined): VirtualMachine {
  const undo = restorePatch(vm, saved);
  return undo.length === 0 ? vm : patchedVm(vm, undo);
}

function secureBootIn(vm: VirtualMachine): boolean | undefined {
  return secureBootOf(vm.spec.template.spec.domain.firmware?.bootloader);
}

/**
 * The template has the machine's own firmware, and no override depends on it.
 *
 * @throws MachineError
 */
function assertOwn(saved: BootOverrideStatus | undefined): void {
  if (saved?.firmware === undefined && saved?.originalFirmware === undefined) return;
  throw new MachineError('InvalidState', 'a boot override chooses the firmware: clear it first');
}

/** @throws MachineError */
function assertSwitchable(vm: VirtualMachine, isOn: boolean): void {
  const bootloader = vm.spec.template.spec.domain.firmware?.bootloader;
  if (bootloader?.efi !== undefined) return;
  if (bootModeOf(vm) === undefined) {
    throw new MachineError('NotSupported', 'the preference of the virtual machine chooses its firmware');
  }
  if (!isOn) return;
  throw new MachineError(
    'NotSupported',
    'a BIOS has no Secure Boot: the virtual machine needs UEFI (spec.template.spec.domain.firmware.bootloader.efi)',
  );
}
