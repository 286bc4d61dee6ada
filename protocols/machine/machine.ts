import type { EventLog } from './event-log.ts';
import type { Hardware } from './hardware.ts';
import type { VirtualMedia } from './media.ts';
import type { Requester } from './requester.ts';
import type { Sensor } from './sensor.ts';
import type { SerialConsole } from './serial-console.ts';

/**
 * The one thing that IPMI and Redfish know of a computer. A power action has one meaning, one log entry and
 * one place to be right, whichever protocol asked for it.
 */
export interface Machine {
  /** What the computer is; stable for the life of the machine except where the owner edits it. */
  identity(): MachineIdentity;
  /**
   * To be awaited before `powerState` and `poweredOnSince` are read for a client: asks the platform if what is known is too old to be told, and
   * waits some seconds at most. Undefined: it is not. Never rejects; those two throw if the platform has not answered.
   */
  refresh(): Promise<void> | undefined;
  /** The power state that is known now; never blocks. Throws `MachineError` `Unavailable` where it is not known. */
  powerState(): PowerState;
  /**
   * Asks for a power action and resolves when it is accepted, not when it is finished. May be called many times:
   * asking for the state that the machine is in, or on the way to, succeeds and does nothing. Calls run one at a time.
   *
   * @throws MachineError
   */
  power(action: PowerAction, requester: Requester): Promise<void>;
  /** The boot override in force, or undefined where the machine boots as its owner configured it. */
  bootOverride(): BootOverride | undefined;
  /**
   * Sets the boot override, or with undefined clears it and restores what was before. Resolves when it is stored
   * so that no crash can lose it.
   *
   * @param lapseAfter ms after which the machine takes the override back unasked, also after a crash, unless a boot was
   *   asked for by then; undefined: never
   * @throws MachineError
   */
  setBootOverride(override: BootOverride | undefined, requester: Requester, lapseAfter?: number): Promise<void>;
  /** What it can boot from, in the order in which the machine has the devices. Never blocks. */
  bootOptions(): readonly BootOption[];
  /**
   * Makes the machine's own boot order, from its next boot on: these options first, in this order, and no others; an empty list is the
   * order that its platform gives it. An override in force stays, and this is what comes back after it.
   *
   * @throws MachineError `NotSupported` for an option that there is none of
   */
  setBootOrder(options: readonly string[], requester: Requester): Promise<void>;
  /** Whether its firmware boots signed systems alone from its next boot on; undefined: it has no such thing, or that is not known. Never blocks. */
  secureBoot(): boolean | undefined;
  /**
   * Switches that on or off, from its next boot on. Resolves when it is stored.
   *
   * @throws MachineError `NotSupported` where its firmware has no such thing; `InvalidState` while an override boots with another firmware
   */
  setSecureBoot(isOn: boolean, requester: Requester): Promise<void>;
  /** What the machine does when its platform comes up after an outage; undefined where that is not known. Never blocks. */
  restorePolicy(): RestorePolicy | undefined;
  /** Since when it has had power without a break, ms since 1970; undefined: it has none, or that is not known. Never blocks. */
  poweredOnSince(): number | undefined;
  /** What it is made of, as far as that is known; for inventories (FRU, Redfish). Never blocks. */
  hardware(): Hardware;
  /** What it measures, always in the same order and number for the life of the process. Never blocks. */
  sensors(): readonly Sensor[];
  /** What happened to it and who asked for what; outlives the process. */
  readonly log: EventLog;
  readonly console: SerialConsole;
  readonly media: VirtualMedia;
}

export interface MachineIdentity {
  /** Name that people know it by: `<namespace>/<virtual machine>`. */
  name: string;
  /** SMBIOS UUID, lower case with dashes; undefined until it is known. */
  uuid?: string;
  /** SMBIOS serial number. */
  serial?: string;
}

/** `Paused` reads as on in IPMI (the machine has power and holds its memory). */
export type PowerState = 'Off' | 'PoweringOn' | 'On' | 'PoweringOff' | 'Paused';

/**
 * - `On`: power up; nothing when it is on.
 * - `ForceOff`: cut the power at once.
 * - `GracefulShutdown`: press the ACPI power button.
 * - `ForceRestart`: reset without cutting power (IPMI hard reset).
 * - `PowerCycle`: cut the power and power up again; `InvalidState` when the machine is off.
 * - `GracefulRestart`: ask the guest to restart by itself; `InvalidState` when the machine is off.
 * - `Pause`, `Resume`: hold the guest's processors, and let them go on; `InvalidState` when the machine is off.
 * - `DiagnosticInterrupt`: NMI.
 */
export type PowerAction =
  | 'On'
  | 'ForceOff'
  | 'GracefulShutdown'
  | 'GracefulRestart'
  | 'ForceRestart'
  | 'PowerCycle'
  | 'Pause'
  | 'Resume'
  | 'DiagnosticInterrupt';

/** `Previous`: it is powered on where it had power before. */
export type RestorePolicy = 'AlwaysOn' | 'Previous' | 'AlwaysOff';

export type BootDevice = 'Pxe' | 'Hdd' | 'Cd' | 'UefiHttp' | 'BiosSetup';

export interface BootOverride {
  device: BootDevice;
  /** Once: for the next boot alone. Continuous: until it is cleared. */
  persistence: 'Once' | 'Continuous';
  /** Firmware to boot with; undefined leaves the machine's own. */
  firmware?: 'UEFI' | 'Legacy';
  /**
   * Which of the devices of that kind, 1 up in the order in which the machine has them; undefined: the first that can boot.
   * What does not exist is `NotSupported`.
   */
  instance?: number;
  /** Of `UefiHttp`: what to boot instead of what the network offers. */
  uri?: string;
}

/** A device that the machine can boot from. */
export interface BootOption {
  /** Stays the same as long as the device does: `disk:root`, `cdrom:tools`, `interface:default`. */
  readonly id: string;
  readonly device: 'Pxe' | 'Hdd' | 'Cd';
  /** Which of the devices of that kind, 1 up; what {@link BootOverride.instance} takes. */
  readonly instance: number;
  /** For people. */
  readonly name: string;
  /** Its place in the machine's own boot order, 1 up; undefined: it is not in it. */
  readonly order?: number;
}

/**
 * - `Busy`: a transition is under way; the same call may succeed later (IPMI 0xC0, Redfish 503).
 * - `NotSupported`: this machine can never do it.
 * - `InvalidState`: not in the state that it is in now (IPMI 0xD5, Redfish 409).
 * - `Unavailable`: what the machine stands on does not answer, or has lost it.
 * - `Forbidden`: the platform refuses the BMC the right.
 */
export type MachineErrorCode = 'Busy' | 'NotSupported' | 'InvalidState' | 'Unavailable' | 'Forbidden';

export class MachineError extends Error {
  override readonly name = 'MachineError';
  readonly code: MachineErrorCode;

  constructor(code: MachineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
