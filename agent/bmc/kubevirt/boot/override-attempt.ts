import { isDeepStrictEqual } from 'node:util';
import type { BootOverrideStatus } from '../../../../api/index.ts';
import { ApiError, type Clock } from '@groundcrew/controller-runtime';
import type { BmcStatus } from '../../objects/bmc-status.ts';
import { changeMachine } from '../machine-objects.ts';

/** The writes for one override that a client asked for, and how to take them back if the override is refused. */
export class OverrideAttempt {
  #before: BootOverrideStatus | undefined;
  #saved: BootOverrideStatus | undefined;
  #isUnknown = false;

  /** Whether the last write failed without an answer, so that it may have been applied. */
  get isUnknown(): boolean {
    return this.#isUnknown;
  }

  /** @param before the override that this one replaces in the status */
  async write<T>(before: BootOverrideStatus | undefined, work: () => Promise<T>): Promise<T> {
    // After a conflict the status holds this attempt's own override.
    if (this.#saved === undefined) this.#before = before;
    try {
      return await work();
    } catch (error) {
      this.#isUnknown = !isSurelyUndone(error);
      throw error;
    }
  }

  /** @param saved the override as written to the status */
  noteSaved(saved: BootOverrideStatus | undefined): void {
    this.#saved = saved;
  }

  /**
   * Puts the previous override back into the status, so that `settle` does not carry out the refused one.
   *
   * @throws MachineError
   */
  async takeBack(status: BmcStatus, timing: { clock: Clock; signal: AbortSignal }): Promise<void> {
    if (this.#saved === undefined) return;
    await changeMachine(async () => {
      const bmc = await status.read();
      if (!isDeepStrictEqual(bmc.status?.bootOverride, this.#saved)) return;
      // An override that KubeVirtBMC saved has no target and cannot be written to the template again.
      const bootOverride = this.#before?.target === undefined ? undefined : this.#before;
      if (!isDeepStrictEqual(bootOverride, this.#saved)) await status.write(bmc, { bootOverride });
    }, timing);
  }
}

/**
 * Whether the write was certainly not done: the answer is below 500, or an admission webhook failed. After any other
 * answer, or none, it may have been done.
 */
function isSurelyUndone(error: unknown): boolean {
  return error instanceof ApiError && (error.status < 500 || error.serverMessage.includes('failed calling webhook'));
}
