import { ownCopy } from '../../../own-copy.ts';
import type { BootOverride, Machine, Requester } from '../../../machine/index.ts';
import { COMPLETION, CompletionError } from '../../message/codes.ts';
import { SetInProgress } from '../../session/set-in-progress.ts';
import { BOOT_FLAGS_LENGTH, BOOT_FLAGS_VALID, decodeBootFlags, encodeBootFlags } from './boot-flags.ts';

/** Bits of parameter 3 that prevent clearing of the boot flags' valid bit. Buttons and event filters do not exist (bits 0, 1 and 4). */
const KEEP_AT_WATCHDOG = 0x04;
const KEEP_ON_TIMEOUT = 0x08;

/** Boot flags written by a client. */
interface WrittenFlags {
  bytes: Buffer;
  override: BootOverride | undefined;
  /** Time in ms at which flags without a device lapse. The machine lets the others lapse. */
  lapsesAt: number;
}

/** Bytes of boot option parameter 6: channel, session ID, time. */
export const INITIATOR_INFO_LENGTH = 9;
const NO_INITIATOR: Buffer = Buffer.alloc(INITIATOR_INFO_LENGTH);

/**
 * System boot options, IPMI 2.0 §28.12. The machine stores the override and its timeout, which survive this process. Bits that the
 * machine does not use are kept here while their override is in force.
 */
export class BootOptions {
  readonly #machine: Machine;
  readonly #flagTimeout: number;
  readonly #locked = new Set<number>();
  #written: WrittenFlags | undefined;
  /** Parameter 0. */
  readonly setInProgress = new SetInProgress();
  readonly mailbox = new InitiatorMailbox();
  /** Parameter 1, service partition selector; stored without effect. */
  servicePartition = 0;
  /** Parameter 2: service partition scan requested (bit 1) and found (bit 0). */
  servicePartitionScan = 0;
  /** Parameter 3, boot flag valid bit clearing. */
  validBitClearing = 0;
  /** Parameter 4, boot info acknowledge: one bit for each of BIOS, OS loader, partition, SMS, OEM. */
  acknowledge = 0;
  /** Parameter 6, boot initiator info, as written by the client. */
  initiatorInfo: Buffer = NO_INITIATOR;

  /** @param flagTimeout ms after which unused one-time boot flags lapse; 0 for never */
  constructor(machine: Machine, flagTimeout: number) {
    this.#machine = machine;
    this.#flagTimeout = flagTimeout;
  }

  /** The "parameter invalid or locked" mark; stored without effect. */
  isLocked(parameter: number): boolean {
    return this.#locked.has(parameter);
  }

  setLocked(parameter: number, isLocked: boolean): void {
    if (isLocked) this.#locked.add(parameter);
    else this.#locked.delete(parameter);
  }

  /** Current parameter 5: the machine's override with the written bits if they still apply. @param now ms */
  flags(now: number): Buffer {
    const inForce = this.#machine.bootOverride();
    const written = this.#written;
    if (written === undefined || !isSame(written.override, inForce)) return encodeBootFlags(inForce);
    if (inForce !== undefined || now < written.lapsesAt) return written.bytes;
    const lapsed = Buffer.from(written.bytes);
    lapsed.writeUInt8(lapsed.readUInt8(0) & ~BOOT_FLAGS_VALID, 0);
    return lapsed;
  }

  /** @throws CompletionError, MachineError; then nothing has changed */
  async setFlags(bytes: Buffer, requester: Requester, now: number): Promise<void> {
    const override = decodeBootFlags(bytes);
    const lapses = this.#flagTimeout > 0 && (this.validBitClearing & KEEP_ON_TIMEOUT) === 0;
    const lapseAfter = lapses && override?.persistence === 'Once' ? this.#flagTimeout : undefined;
    await this.#machine.setBootOverride(override, requester, lapseAfter);
    this.#written = {
      bytes: ownCopy(bytes.subarray(0, BOOT_FLAGS_LENGTH)),
      override,
      lapsesAt: lapses ? now + this.#flagTimeout : Infinity,
    };
  }

  /** Clears one-time flags before a boot by the watchdog: they are for a requested boot. @throws MachineError */
  async clearBeforeWatchdog(requester: Requester): Promise<void> {
    if ((this.validBitClearing & KEEP_AT_WATCHDOG) !== 0) return;
    if (this.#machine.bootOverride()?.persistence === 'Once') await this.#machine.setBootOverride(undefined, requester);
  }

  /** Resets everything except the override itself. */
  reset(): void {
    this.#written = undefined;
    this.#locked.clear();
    this.mailbox.clear();
    this.servicePartition = 0;
    this.servicePartitionScan = 0;
    this.validBitClearing = 0;
    this.acknowledge = 0;
    this.initiatorInfo = NO_INITIATOR;
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

/** Bytes of a block; the first three of block 0 are the IANA number of the mailbox's recipient. */
const BLOCK_LENGTH = 16;
/** IPMI 2.0 requires at least 5. */
const BLOCK_COUNT = 16;

const EMPTY_BLOCK = Buffer.alloc(BLOCK_LENGTH);

/** Boot option parameter 7, boot initiator mailbox; its contents are not used here. */
class InitiatorMailbox {
  /** Those that were written. */
  readonly #blocks: Buffer[] = [];

  /** @throws CompletionError 0xC9 for a block that does not exist */
  read(block: number): Buffer {
    return Buffer.from(this.#block(block));
  }

  /** Shorter data leaves the rest of the block unchanged. @throws CompletionError 0xC9, 0xC7 */
  write(block: number, data: Buffer): void {
    if (data.length > BLOCK_LENGTH)
      throw new CompletionError(COMPLETION.invalidLength, 'the data is longer than a block');
    const written = ownCopy(this.#block(block));
    written.set(data);
    this.#blocks[block] = written;
  }

  clear(): void {
    this.#blocks.length = 0;
  }

  #block(block: number): Buffer {
    if (block >= BLOCK_COUNT) throw new CompletionError(COMPLETION.outOfRange, `mailbox block ${block}`);
    return this.#blocks[block] ?? EMPTY_BLOCK;
  }
}
