import type { BootOverride, Machine, Requester } from '../../../machine/index.ts';
import type { Session } from '../../session/session.ts';
import { BOOT_FLAGS_LENGTH, decodeBootFlags, encodeBootFlags } from './boot-flags.ts';

/** Parameter 3, bit 3: keep boot flags although nobody starts a boot in time. */
const KEEP_ON_TIMEOUT = 0x08;

/** Boot flags as a client wrote them. */
interface WrittenFlags {
  bytes: Buffer;
  override: BootOverride | undefined;
}

/**
 * System boot options, IPMI 2.0 §28.12. The override itself, and the time at which it lapses, is the machine's and survives
 * this process; the bits that a machine has no use for are remembered here as long as the override that they came with
 * is in force.
 */
export class BootOptions {
  readonly #machine: Machine;
  readonly #flagTimeout: number;
  readonly #locked = new Set<number>();
  #writer: Session | undefined;
  #written: WrittenFlags | undefined;
  /** Parameter 3, boot flag valid bit clearing: what keeps the boot flags from being cleared. */
  validBitClearing = 0;
  /** Parameter 4, who has handled the boot info: a bit for each of BIOS, OS loader, partition, SMS, OEM. */
  acknowledge = 0;

  /** @param flagTimeout ms after which boot flags for one boot lapse when nobody has started it; 0 for never */
  constructor(machine: Machine, flagTimeout: number) {
    this.#machine = machine;
    this.#flagTimeout = flagTimeout;
  }

  /** Parameter 0: who is in the middle of writing. A session that ended without saying so holds up nobody. */
  get writer(): Session | undefined {
    return this.#writer?.isOpen === true ? this.#writer : undefined;
  }

  set writer(session: Session | undefined) {
    this.#writer = session;
  }

  /** The "parameter invalid or locked" mark, which clients set and read and nothing acts on. */
  isLocked(parameter: number): boolean {
    return this.#locked.has(parameter);
  }

  setLocked(parameter: number, isLocked: boolean): void {
    if (isLocked) this.#locked.add(parameter);
    else this.#locked.delete(parameter);
  }

  /** Parameter 5 as it stands: from the machine, with the written bits where they still apply. */
  flags(): Buffer {
    const inForce = this.#machine.bootOverride();
    if (this.#written !== undefined && isSame(this.#written.override, inForce)) return this.#written.bytes;
    return encodeBootFlags(inForce);
  }

  /** @throws CompletionError, MachineError; what was in force stays then */
  async setFlags(bytes: Buffer, requester: Requester): Promise<void> {
    const override = decodeBootFlags(bytes);
    const lapses =
      this.#flagTimeout > 0 && override?.persistence === 'Once' && (this.validBitClearing & KEEP_ON_TIMEOUT) === 0;
    await this.#machine.setBootOverride(override, requester, lapses ? this.#flagTimeout : undefined);
    this.#written = { bytes: Buffer.from(bytes.subarray(0, BOOT_FLAGS_LENGTH)), override };
  }
}

function isSame(a: BootOverride | undefined, b: BootOverride | undefined): boolean {
  return a?.device === b?.device && a?.persistence === b?.persistence && a?.firmware === b?.firmware;
}
