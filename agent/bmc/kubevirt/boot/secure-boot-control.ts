import {
  type Bootloader,
  type BootOverrideStatus,
  overrideToUndo,
  secureBootOf,
  secureBootPatch,
  VIRTUAL_MACHINES,
  type VirtualMachine,
} from '../../../../api/index.ts';
import type { RequestOptions } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../../protocols/machine/index.ts';
import { newerOf } from '../../objects/object-version.ts';
import { assertThere, changeMachine, type MachineContext, readMachine } from '../machine-objects.ts';

type SecureBootControlOptions = Pick<MachineContext, 'client' | 'machine' | 'status' | 'clock' | 'signal'>;

/** Secure Boot of one VM. It is in the template; a VMI has it from its creation on. */
export class SecureBootControl {
  readonly #options: SecureBootControlOptions;
  /** The VM after the last write of this process; watches may be stale. */
  #written: VirtualMachine | undefined;

  constructor(options: SecureBootControlOptions) {
    this.#options = options;
  }

  /** Whether the machine has Secure Boot from its next boot on; undefined if it has a BIOS or the firmware is unknown. */
  wantedIn(cached: VirtualMachine): boolean | undefined {
    const vm = newerOf(cached, this.#written);
    const { latest } = this.#options.status;
    return secureBootOf(ownBootloader(vm, latest && overrideToUndo(latest, vm)));
  }

  /**
   * Resolves when it is in the template.
   *
   * @param deadline aborts all requests
   * @throws MachineError
   */
  async set(isOn: boolean, deadline: AbortSignal): Promise<void> {
    await changeMachine(() => this.#attempt(isOn, { signal: deadline }), this.#options);
  }

  async #attempt(isOn: boolean, bounds: RequestOptions): Promise<void> {
    const { client, machine, status } = this.#options;
    const bmc = await status.read(bounds);
    const { vm } = await readMachine(client, machine, bounds);
    assertThere(bmc, vm);
    const saved = overrideToUndo(bmc, vm);
    if (secureBootOf(ownBootloader(vm, saved)) === isOn) return;
    assertSwitchable(vm, saved, isOn);
    const patch = secureBootPatch(vm, isOn);
    this.#written = patch.length === 0 ? vm : await client.patch(VIRTUAL_MACHINES, machine, 'json', patch, bounds);
  }
}

/** The bootloader of the machine's own firmware, which is restored after a boot override with another firmware. */
function ownBootloader(vm: VirtualMachine, saved: BootOverrideStatus | undefined): Bootloader | undefined {
  return isReplaced(saved) ? saved?.originalBootloader : vm.spec.template.spec.domain.firmware?.bootloader;
}

/** Whether a boot override has replaced the firmware in the template. */
function isReplaced(saved: BootOverrideStatus | undefined): boolean {
  return saved?.originalFirmware !== undefined;
}

/** @throws MachineError */
function assertSwitchable(vm: VirtualMachine, saved: BootOverrideStatus | undefined, isOn: boolean): void {
  if (isReplaced(saved)) {
    throw new MachineError('InvalidState', 'a boot override boots with another firmware: clear it first');
  }
  const bootloader = vm.spec.template.spec.domain.firmware?.bootloader;
  if (bootloader?.efi !== undefined) return;
  if (bootloader === undefined && vm.spec.preference !== undefined) {
    throw new MachineError('NotSupported', 'the preference of the virtual machine chooses its firmware');
  }
  if (!isOn) return;
  throw new MachineError(
    'NotSupported',
    'a BIOS has no Secure Boot: the virtual machine needs UEFI (spec.template.spec.domain.firmware.bootloader.efi)',
  );
}
