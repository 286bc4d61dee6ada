import {
  type BootOption,
  type BootOverride,
  type Hardware,
  type Machine,
  MachineError,
  type MachineIdentity,
  type MediaDrive,
  type MediaImage,
  type PowerAction,
  type PowerState,
  type Requester,
  type RestorePolicy,
  type Sensor,
  type VirtualMedia,
} from '../machine/index.ts';
import { MemoryConsole } from './memory-console.ts';
import { MemoryDisplay } from './memory-display.ts';
import { MemoryEventLog } from './memory-event-log.ts';

/** One call that requested a change. */
export type MachineCall =
  | { kind: 'power'; action: PowerAction; requester: Requester }
  | { kind: 'bootOverride'; override: BootOverride | undefined; requester: Requester; lapseAfter?: number }
  | { kind: 'bootOrder'; options: readonly string[]; requester: Requester }
  | { kind: 'bootMode'; mode: 'UEFI' | 'Legacy'; requester: Requester }
  | { kind: 'secureBoot'; isOn: boolean; requester: Requester }
  | { kind: 'restorePolicy'; policy: RestorePolicy; requester: Requester };

/**
 * A {@link Machine} in memory, without a clock: power actions take effect at once, and overrides never lapse. Tests read
 * `calls`, set states and failures, and delay calls with `gate`.
 */
export class MemoryMachine implements Machine {
  state: PowerState;
  readonly calls: MachineCall[] = [];
  /** Thrown once, by the next call that requests a change. */
  nextError: Error | undefined;
  /** Calls that request a change wait for it. */
  gate: Promise<void> | undefined;
  /** Thrown by `powerState`. */
  stateError: MachineError | undefined;
  /** Default: the data is fresh. */
  refresh: () => Promise<void> | undefined = () => undefined;
  parts: Hardware = { manufacturer: 'Example', networkInterfaces: [], disks: [] };
  options: readonly BootOption[] = [];
  readings: readonly Sensor[] = [];
  policy: RestorePolicy | undefined;
  nextSecureBoot: boolean | undefined;
  /** Default: the present firmware. */
  nextBootMode: 'UEFI' | 'Legacy' | undefined;
  /** ms since 1970 */
  poweredOn: number | undefined;
  readonly log = new MemoryEventLog();
  readonly console = new MemoryConsole();
  readonly display = new MemoryDisplay();
  readonly media = new MemoryMedia();
  #identity: MachineIdentity;
  #override: BootOverride | undefined;

  constructor(options: { state?: PowerState; identity?: MachineIdentity } = {}) {
    this.state = options.state ?? 'Off';
    this.#identity = options.identity ?? { name: 'default/testvm', uuid: '5d307ca9-b3ef-428c-8861-06e72d69f223' };
  }

  identity(): MachineIdentity {
    return this.#identity;
  }

  powerState(): PowerState {
    if (this.stateError !== undefined) throw this.stateError;
    return this.state;
  }

  async power(action: PowerAction, requester: Requester): Promise<void> {
    this.calls.push({ kind: 'power', action, requester });
    await this.#admit();
    if (this.state === 'Off') this.#powerOnFromOff(action);
    else if (action === 'ForceOff' || action === 'GracefulShutdown') this.state = 'Off';
    else if (action === 'Pause') this.state = 'Paused';
    else if (action === 'Resume') this.state = 'On';
    else if (action !== 'On' && action !== 'DiagnosticInterrupt') this.#boot();
  }

  bootOptions(): readonly BootOption[] {
    return this.options;
  }

  async setBootOrder(options: readonly string[], requester: Requester): Promise<void> {
    this.calls.push({ kind: 'bootOrder', options, requester });
    await this.#admit();
    this.options = this.options.map(({ order: _order, ...option }) => {
      const at = options.indexOf(option.id);
      return at === -1 ? option : { ...option, order: at + 1 };
    });
  }

  bootMode(): 'UEFI' | 'Legacy' | undefined {
    return this.nextBootMode ?? this.parts.firmware;
  }

  async setBootMode(mode: 'UEFI' | 'Legacy', requester: Requester): Promise<void> {
    this.calls.push({ kind: 'bootMode', mode, requester });
    await this.#admit();
    this.nextBootMode = mode;
  }

  secureBoot(): boolean | undefined {
    return this.nextSecureBoot;
  }

  async setSecureBoot(isOn: boolean, requester: Requester): Promise<void> {
    this.calls.push({ kind: 'secureBoot', isOn, requester });
    await this.#admit();
    this.nextSecureBoot = isOn;
  }

  restorePolicy(): RestorePolicy | undefined {
    return this.policy;
  }

  async setRestorePolicy(policy: RestorePolicy, requester: Requester): Promise<void> {
    this.calls.push({ kind: 'restorePolicy', policy, requester });
    await this.#admit();
    this.policy = policy;
  }

  poweredOnSince(): number | undefined {
    return this.poweredOn;
  }

  hardware(): Hardware {
    return this.parts;
  }

  sensors(): readonly Sensor[] {
    return this.readings;
  }

  bootOverride(): BootOverride | undefined {
    return this.#override;
  }

  async setBootOverride(override: BootOverride | undefined, requester: Requester, lapseAfter?: number): Promise<void> {
    this.calls.push({ kind: 'bootOverride', override, requester, ...(lapseAfter !== undefined && { lapseAfter }) });
    await this.#admit();
    this.#override = override;
  }

  /** The requested power actions, in order. */
  get powerActions(): PowerAction[] {
    return this.calls.flatMap((call) => (call.kind === 'power' ? [call.action] : []));
  }

  async #admit(): Promise<void> {
    await this.gate;
    const error = this.nextError;
    this.nextError = undefined;
    if (error !== undefined) throw error;
  }

  #powerOnFromOff(action: PowerAction): void {
    if (action === 'On') this.#boot();
    if (action !== 'On' && action !== 'ForceOff' && action !== 'GracefulShutdown') {
      throw new MachineError('InvalidState', `${action} requires a machine that is on; power it on first`);
    }
  }

  /** The boot uses up an override for one boot. */
  #boot(): void {
    this.state = 'On';
    if (this.#override?.persistence === 'Once') this.#override = undefined;
  }
}

/** {@link VirtualMedia} in memory: a drive, whose imports complete at once, and one that stays empty. */
export class MemoryMedia implements VirtualMedia {
  drive: MediaDrive = {
    id: 'Cd',
    mediaTypes: ['CD', 'DVD'],
    isInserted: false,
    isWriteProtected: true,
    verifiesCertificate: true,
  };
  readonly stick: MediaDrive = { ...this.drive, id: 'Usb', mediaTypes: ['USBStick'] };
  /** Thrown once, by the next call. */
  nextError: Error | undefined;
  /** What the guest has after an ejection. */
  kept: string | undefined;
  readonly inserted: { image: MediaImage; requester: Requester }[] = [];

  drives(): readonly MediaDrive[] {
    return [this.drive, this.stick];
  }

  // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
  async insert(drive: string, image: MediaImage, requester: Requester): Promise<void> {
    this.#admit(drive);
    if (this.drive.image !== undefined) throw new MachineError('InvalidState', 'there is an image in the drive');
    this.inserted.push({ image, requester });
    const { password: _secret, ...shown } = { ...image, image: withoutLogin(image.image) };
    const message = 'the image was imported';
    this.drive = {
      ...this.drive,
      ...shown,
      insertion: { id: `i${this.inserted.length}`, state: 'Done', progress: 100, message, startedAt: 0, endedAt: 0 },
    };
  }

  // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
  async eject(drive: string): Promise<string | undefined> {
    this.#admit(drive);
    const { id, mediaTypes, verifiesCertificate } = this.drive;
    this.drive = { id, mediaTypes, verifiesCertificate, isInserted: false, isWriteProtected: true };
    return this.kept;
  }

  #admit(drive: string): void {
    const error = this.nextError;
    this.nextError = undefined;
    if (error !== undefined) throw error;
    if (drive !== this.drive.id) throw new MachineError('NotSupported', `there is no drive ${drive}`);
  }
}

function withoutLogin(image: string): string {
  return image.replace(/^(\w+:\/\/)[^/?#]*@/, '$1');
}
