import {
  bootModeOf,
  bootModePatch,
  type BootOverrideStatus,
  type FirmwareMode,
  type JsonPatchOp,
  overrideToUndo,
  patchedVm,
  restorePatch,
  secureBootOf,
  secureBootPatch,
  VIRTUAL_MACHINES,
  type VirtualMachine,
} from '../../../../api/index.ts';
import type { RequestOptions } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../../protocols/machine/index.ts';
import { newerOf } from '../../objects/object-version.ts';
import { assertThere, changeMachine, type MachineContext, readMachine } from '../machine-objects.ts';

type FirmwareControlOptions = Pick<MachineContext, 'client' | 'machine' | 'status' | 'clock' | 'signal'>;

/** The firmware of one VM without a boot override: boot mode and Secure Boot. A VMI has it from its creation on. */
export class FirmwareControl {
  readonly #options: FirmwareControlOptions;
  /** The VM after the last write of this process; watches may be stale. */
  #written: VirtualMachine | undefined;

  constructor(options: FirmwareControlOptions) {
    this.#options = options;
  }

  /** The VM after the last write of this process, until the watch behind `cached` has caught up. */
  latest(cached: VirtualMachine): VirtualMachine {
    return newerOf(cached, this.#written);
  }

  /** The VM as it is without its boot override. */
  ownIn(vm: VirtualMachine): VirtualMachine {
    const { latest } = this.#options.status;
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
    await this.#change({ signal: deadline }, (vm, saved) => {
      if (bootModeOf(withoutOverride(vm, saved)) === mode) return [];
      assertOwn(saved);
      return bootModePatch(vm, mode);
    });
  }

  /**
   * Resolves when it is in the template.
   *
   * @param deadline aborts all requests
   * @throws MachineError
   */
  async setSecureBoot(isOn: boolean, deadline: AbortSignal): Promise<void> {
    await this.#change({ signal: deadline }, (vm, saved) => {
      if (secureBootIn(withoutOverride(vm, saved)) === isOn) return [];
      if (saved?.originalFirmware !== undefined) assertOwn(saved);
      assertSwitchable(vm, isOn);
      return secureBootPatch(vm, isOn);
    });
  }

  async #change(
    bounds: RequestOptions,
    patchOf: (vm: VirtualMachine, saved: BootOverrideStatus | undefined) => readonly JsonPatchOp[],
  ): Promise<void> {
    const { client, machine, status } = this.#options;
    await changeMachine(async () => {
      const bmc = await status.read(bounds);
      const { vm } = await readMachine(client, machine, bounds);
      assertThere(bmc, vm);
      const patch = patchOf(vm, overrideToUndo(bmc, vm));
      this.#written = patch.length === 0 ? vm : await client.patch(VIRTUAL_MACHINES, machine, 'json', patch, bounds);
    }, this.#options);
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
