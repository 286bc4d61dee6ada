import type { BootOverride, Machine, Requester } from '../../../machine/index.ts';
import { SetInProgress } from '../../session/set-in-progress.ts';
import { BOOT_FLAGS_LENGTH, BOOT_FLAGS_VALID, decodeBootFlags, encodeBootFlags } from './boot-flags.ts';
import { InitiatorMailbox } from './initiator-mailbox.ts';

/** Parameter 3: what does not clear the boot flags' valid bit; nothing here presses buttons or filters events (bits 0, 1 and 4). */
const KEEP_AT_WATCHDOG = 0x04;
const KEEP_ON_TIMEOUT = 0x08;

/** Boot flags as a client wrote them. */
interface WrittenFlags {
  bytes: Buffer;
  override: BootOverride | undefined;
  /** ms at which the valid bit of flags that ask for no device goes. The machine looks after those that do. */
  lapsesAt: number;
}

/** Bytes of boot option parameter 6: channel, session ID, time. */
export const INITIATOR_INFO_LENGTH = 9;

/**
 * System boot options, IPMI 2.0 §28.12. The override itself, and the time at which it lapses, is the machine's and survives
 * this process; the bits that a machine has no use for are remembered here as long as the override that they came with
 * is in force.
 */
export class BootOptions {
  readonly #machine: Machine;
  readonly #flagTimeout: number;
  readonly #locked = new Set<number>();
  #written: WrittenFlags | undefined;
  /** Parameter 0. */
  readonly setInProgress = new SetInProgress();
  readonly mailbox = new InitiatorMailbox();
  /** Parameter 1: which service partition to boot, for whatever boots. */
  servicePartition = 0;
  /** Parameter 2: whether a service partition is to be looked for (bit 1) and was found (bit 0). */
  servicePartitionScan = 0;
  /** Parameter 3, boot flag valid bit clearing. */
  validBitClearing = 0;
  /** Parameter 4, who has handled the boot info: a bit for each of BIOS, OS loader, partition, SMS, OEM. */
  acknowledge = 0;
  /** Parameter 6: who asked for the boot, as they say. */
  initiatorInfo = Buffer.alloc(INITIATOR_INFO_LENGTH);

  /** @param flagTimeout ms after which boot flags for one boot lapse when nobody has started it; 0 for never */
  constructor(machine: Machine, flagTimeout: number) {
    this.#machine = machine;
    this.#flagTimeout = flagTimeout;
  }

  /** The "parameter invalid or locked" mark, which clients set and read and nothing acts on. */
  isLocked(parameter: number): boolean {
    return this.#locked.has(parameter);
  }

  setLocked(parameter: number, isLocked: boolean): void {
    if (isLocked) this.#locked.add(parameter);
    else this.#locked.delete(parameter);
  }

  /** Parameter 5 as it stands: from the machine, with the written bits where they still apply. @param now ms */
  flags(now: number): Buffer {
    const inForce = this.#machine.bootOverride();
    const written = this.#written;
    if (written === undefined || !isSame(written.override, inForce)) return encodeBootFlags(inForce);
    if (inForce !== undefined || now < written.lapsesAt) return written.bytes;
    const lapsed = Buffer.from(written.bytes);
    lapsed.writeUInt8(lapsed.readUInt8(0) & ~BOOT_FLAGS_VALID, 0);
    return lapsed;
  }

  /** @throws CompletionError, MachineError; what was in force stays then */
  async setFlags(bytes: Buffer, requester: Requester, now: number): Promise<void> {
    const override = decodeBootFlags(bytes);
    const lapses = this.#flagTimeout > 0 && (this.validBitClearing & KEEP_ON_TIMEOUT) === 0;
    const lapseAfter = lapses && override?.persistence === 'Once' ? this.#flagTimeout : undefined;
    await this.#machine.setBootOverride(override, requester, lapseAfter);
    this.#written = {
      bytes: Buffer.from(bytes.subarray(0, BOOT_FLAGS_LENGTH)),
      override,
      lapsesAt: lapses ? now + this.#flagTimeout : Infinity,
    };
  }

  /** Before the watchdog boots the machine: flags for one boot were for one that somebody asks for. @throws MachineError */
  async clearBeforeWatchdog(requester: Requester): Promise<void> {
    if ((this.validBitClearing & KEEP_AT_WATCHDOG) !== 0) return;
    if (this.#machine.bootOverride()?.persistence === 'Once') await this.#machine.setBootOverride(undefined, requester);
  }

  /** All but the override itself goes back to how it was when the BMC started. */
  reset(): void {
    this.setInProgress.clear();
    this.#written = undefined;
    this.#locked.clear();
    this.mailbox.clear();
    this.servicePartition = 0;
    this.servicePartitionScan = 0;
    this.validBitClearing = 0;
    this.acknowledge = 0;
    this.initiatorInfo = Buffer.alloc(INITIATOR_INFO_LENGTH);
  }
}

function isSame(a: BootOverride | undefined, b: BootOverride | undefined): boolean {
  return (
    a?.device === b?.device &&
    a?.persistence === b?.persistence &&
    a?.firmware === b?.firmware &&
    a?.instance === b?.instance
  );
}
