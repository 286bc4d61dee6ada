import type { Display } from './display.ts';
import type { EventLog } from './event-log.ts';
import type { Hardware, Sensor } from './hardware.ts';
import type { VirtualMedia } from './media.ts';
import type { SerialConsole } from './serial-console.ts';

/** A computer as IPMI and Redfish see it. Both protocols use the same implementation and the same log entries for each power action. */
export interface Machine {
  /** The machine's identity; stable for the life of the machine unless the owner changes it. */
  identity(): MachineIdentity;
  /**
   * Await this before reading `powerState` and `poweredOnSince` for a client. Queries the platform if the known state is too old,
   * and waits a few seconds at most. Undefined: the known state is recent. Never rejects; those two methods throw if the platform
   * did not answer.
   */
  refresh(): Promise<void> | undefined;
  /** The last known power state. Never blocks. Throws `MachineError` `Unavailable` if it is not known. */
  powerState(): PowerState;
  /**
   * Requests a power action. Resolves when it is accepted, not when it is finished. Idempotent: a request for the current state, or
   * for the target of a running transition, succeeds without effect. Calls run one at a time.
   *
   * @throws MachineError
   */
  power(action: PowerAction, requester: Requester): Promise<void>;
  /** The boot override in force; undefined if the machine boots as its owner configured it. */
  bootOverride(): BootOverride | undefined;
  /**
   * Sets the boot override; undefined clears it and restores the previous configuration. Resolves when the change is stored
   * persistently.
   *
   * @param lapseAfter ms after which the override expires, also after a crash, unless a boot was requested before; undefined: never
   * @throws MachineError
   */
  setBootOverride(override: BootOverride | undefined, requester: Requester, lapseAfter?: number): Promise<void>;
  /** The devices that the machine can boot from, in the machine's device order. Never blocks. */
  bootOptions(): readonly BootOption[];
  /**
   * Sets the machine's own boot order, effective from the next boot: these options in this order and no others. An empty list
   * restores the platform's default order. An override in force stays; this order applies after it.
   *
   * @throws MachineError `NotSupported` for an unknown option
   */
  setBootOrder(options: readonly string[], requester: Requester): Promise<void>;
  /** The machine's own firmware, with which it boots from the next boot on without an override; undefined: not known. Never blocks. */
  bootMode(): 'UEFI' | 'Legacy' | undefined;
  /**
   * Sets the machine's own firmware, effective from the next boot. Resolves when the change is stored.
   *
   * @throws MachineError `InvalidState` while an override chooses the firmware, or if the platform refuses it
   */
  setBootMode(mode: 'UEFI' | 'Legacy', requester: Requester): Promise<void>;
  /** Whether UEFI Secure Boot is on from the next boot; undefined: not supported or not known. Never blocks. */
  secureBoot(): boolean | undefined;
  /**
   * Switches Secure Boot on or off, effective from the next boot. Resolves when the change is stored.
   *
   * @throws MachineError `NotSupported` if the firmware does not support Secure Boot; `InvalidState` while an override boots with
   *   another firmware
   */
  setSecureBoot(isOn: boolean, requester: Requester): Promise<void>;
  /** What the machine does after a power outage of its platform; undefined: not known. Never blocks. */
  restorePolicy(): RestorePolicy | undefined;
  /**
   * Sets that policy; a running machine runs on. Resolves when the change is stored.
   *
   * @throws MachineError `InvalidState` if the platform would start a machine that is off
   */
  setRestorePolicy(policy: RestorePolicy, requester: Requester): Promise<void>;
  /**
   * Time since when the machine has been powered on without interruption, ms since 1970; undefined: it is off, or not known. Never
   * blocks.
   */
  poweredOnSince(): number | undefined;
  /** Hardware inventory (FRU, Redfish), as far as known. Never blocks. */
  hardware(): Hardware;
  /** The machine's sensors. Order and number are constant for the life of the process. Never blocks. */
  sensors(): readonly Sensor[];
  /** Events of the machine and requests of clients; persistent. */
  readonly log: EventLog;
  readonly console: SerialConsole;
  readonly display: Display;
  readonly media: VirtualMedia;
}

export interface MachineIdentity {
  /** Name in readable form: `<namespace>/<virtual machine>`. */
  name: string;
  /** SMBIOS UUID, lower case with dashes; undefined: not known yet. */
  uuid?: string;
  /** SMBIOS serial number. */
  serial?: string;
}

/** `Paused` is reported as on by IPMI: the machine has power and keeps its memory. */
export type PowerState = 'Off' | 'PoweringOn' | 'On' | 'PoweringOff' | 'Paused';

/**
 * - `On`: power up; no effect if the machine is on.
 * - `ForceOff`: cut the power at once.
 * - `GracefulShutdown`: press the ACPI power button.
 * - `ForceRestart`: reset without cutting power (IPMI hard reset).
 * - `PowerCycle`: cut the power and power up again; `InvalidState` if the machine is off.
 * - `GracefulRestart`: request a restart from the guest; `InvalidState` if the machine is off.
 * - `Pause`, `Resume`: pause and resume the guest's processors; `InvalidState` if the machine is off.
 * - `DiagnosticInterrupt`: NMI.
 */
export const POWER_ACTIONS = [
  'On',
  'ForceOff',
  'GracefulShutdown',
  'GracefulRestart',
  'ForceRestart',
  'PowerCycle',
  'Pause',
  'Resume',
  'DiagnosticInterrupt',
] as const;

export type PowerAction = (typeof POWER_ACTIONS)[number];

/** `Previous`: powered on if it was on before the outage. */
export type RestorePolicy = 'AlwaysOn' | 'Previous' | 'AlwaysOff';

/** `Usb`: a disk on the USB bus; `Hdd` means those too. */
export type BootDevice = 'Pxe' | 'Hdd' | 'Cd' | 'Usb' | 'UefiHttp' | 'BiosSetup';

export interface BootOverride {
  device: BootDevice;
  /** Once: for the next boot only. Continuous: until it is cleared. */
  persistence: 'Once' | 'Continuous';
  /** Firmware to boot with; undefined: the machine's own. */
  firmware?: 'UEFI' | 'Legacy';
  /**
   * Index among the devices of this kind, starting at 1, in the machine's device order; undefined: the first that can boot.
   * `NotSupported` if no such device exists.
   */
  instance?: number;
  /** For `UefiHttp`: the URI to boot instead of the one from the network. */
  uri?: string;
}

/** A device that the machine can boot from. */
export interface BootOption {
  /** Stable for the life of the device: `disk:root`, `cdrom:tools`, `interface:default`. */
  readonly id: string;
  readonly device: 'Pxe' | 'Hdd' | 'Cd';
  /** Index among the devices of this kind, starting at 1; see {@link BootOverride.instance}. */
  readonly instance: number;
  /** Display name. */
  readonly name: string;
  /** Position in the machine's own boot order, starting at 1; undefined: not in it. */
  readonly order?: number;
}

/**
 * - `Busy`: a transition is in progress; the same call may succeed later (IPMI 0xC0, Redfish 503).
 * - `NotSupported`: this machine never supports it.
 * - `InvalidState`: not possible in the current state (IPMI 0xD5, Redfish 409).
 * - `Unavailable`: the platform does not answer, or has lost the machine.
 * - `Timeout`: the platform has not answered in time (IPMI 0xC3, Redfish 503). The request was aborted and is not repeated.
 * - `Forbidden`: the platform denies the BMC the permission.
 */
export type MachineErrorCode = 'Busy' | 'NotSupported' | 'InvalidState' | 'Unavailable' | 'Timeout' | 'Forbidden';

export class MachineError extends Error {
  override readonly name = 'MachineError';
  readonly code: MachineErrorCode;
  /** Whether the request may have been carried out, or may be later: the platform has it, but has not answered. */
  readonly mayBeDone: boolean;

  constructor(code: MachineErrorCode, message: string, options: ErrorOptions & { mayBeDone?: boolean } = {}) {
    super(message, options);
    this.code = code;
    this.mayBeDone = options.mayBeDone ?? false;
  }
}

/** The client that sent a request; recorded in the event log and the audit log. */
export interface Requester {
  protocol: 'IPMI' | 'Redfish';
  user: string;
  /** Source address without port. */
  address: string;
}
