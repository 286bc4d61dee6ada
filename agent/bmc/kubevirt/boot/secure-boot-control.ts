import {
  type Bootloader,
  type BootOverrideStatus,
  secureBootOf,
  secureBootPatch,
  VIRTUAL_MACHINES,
  type VirtualMachine,
} from '../../../../api/index.ts';
import { MachineError } from '../../../../protocols/machine/index.ts';
import { newerOf } from '../../objects/object-version.ts';
import { assertThere, changeMachine, type MachineContext, readMachine } from '../machine-objects.ts';

type SecureBootControlOptions = Pick<MachineContext, 'client' | 'machine' | 'status' | 'clock' | 'signal'>;

/** Secure Boot of one VM, which stands in its template: a VMI has it from when it is made. */
export class SecureBootControl {
  readonly #options: SecureBootControlOptions;
  /** The VM as a write of this process has left it; watches may be behind. */
  #written: VirtualMachine | undefined;

  constructor(options: SecureBootControlOptions) {
    this.#options = options;
  }

  /** Whether the machine is to have it from its next boot on; undefined: it has a BIOS, or that is not known. @param cached the VM */
  wantedIn(cached: VirtualMachine): boolean | undefined {
    const vm = newerOf(cached, this.#written);
    return secureBootOf(ownBootloader(vm, this.#options.status.latest?.status?.bootOverride));
  }

  /**
   * Resolves when it stands in the template.
   *
   * @throws MachineError
   */
  async set(isOn: boolean): Promise<void> {
    await changeMachine(() => this.#attempt(isOn), this.#options);
  }

  async #attempt(isOn: boolean): Promise<void> {
    const { client, machine, status } = this.#options;
    const bmc = await status.read();
    const saved = bmc.status?.bootOverride;
    const { vm } = await readMachine(client, machine);
    assertThere(bmc, vm);
    if (secureBootOf(ownBootloader(vm, saved)) === isOn) return;
    assertSwitchable(vm, saved, isOn);
    const patch = secureBootPatch(vm, isOn);
    this.#written = patch.length === 0 ? vm : await client.patch(VIRTUAL_MACHINES, machine, 'json', patch);
  }
}

/** That of the machine's own firmware: of a template that a boot override has given another, what comes back after it. */
function ownBootloader(vm: VirtualMachine, saved: BootOverrideStatus | undefined): Bootloader | undefined {
  return isReplaced(vm, saved) ? saved?.originalBootloader : vm.spec.template.spec.domain.firmware?.bootloader;
}

/** Whether a boot override has given the template another firmware than the machine's own. */
function isReplaced({ metadata }: VirtualMachine, saved: BootOverrideStatus | undefined): boolean {
  return saved?.originalFirmware !== undefined && saved.vmUID === metadata.uid;
}

/** @throws MachineError */
function assertSwitchable(vm: VirtualMachine, saved: BootOverrideStatus | undefined, isOn: boolean): void {
  if (isReplaced(vm, saved)) {
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
