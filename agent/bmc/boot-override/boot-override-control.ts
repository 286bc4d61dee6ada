import { isDeepStrictEqual } from 'node:util';
import {
  bootOrderPatch,
  NoBootDeviceError,
  ordersFor,
  ordersPatch,
  ownOrdersOf,
  reorderedBoot,
  restorePatch,
  VIRTUAL_MACHINES,
  type BootOrders,
  type BootOverrideStatus,
  type JsonPatchOp,
  type PodBinding,
  type VirtualMachine,
  type VirtualMachineBMC,
} from '../../../api/index.ts';
import {
  ApiError,
  type Clock,
  isInvalid,
  isLostRace,
  type KubeClient,
  type ObjectRef,
} from '@groundcrew/controller-runtime';
import { MachineError, type BootOverride } from '../../../protocols/machine/index.ts';
import { assertThere } from '../machine/assert-there.ts';
import { readMachine, type MachinePair } from '../machine/machine-objects.ts';
import { retryOnConflict } from '../machine/retry-on-conflict.ts';
import { told } from '../machine/write-errors.ts';
import type { BmcStatus } from '../status/bmc-status.ts';
import { newerOf } from '../status/newer-of.ts';
import { evaluateOverride, type OverrideVerdict, type OverrideView } from './evaluate-override.ts';
import { plainOverride } from './plain-override.ts';
import { OverrideAttempt } from './override-attempt.ts';
import { findPodBinding } from './find-pod-binding.ts';
import { choiceOf, isOfSetup, isOverridden, overrideOf, saveOverride } from './saved-override.ts';

export interface BootOverrideControlOptions {
  client: KubeClient;
  /** The VM; its VMI has the same name. */
  machine: ObjectRef;
  status: BmcStatus;
  /** Told of what `settle` has done, and of which override where that is known. */
  onSettled?: (done: OverrideVerdict, override: BootOverride | undefined) => void;
  /** Told of an override that failed for the client and may be in force all the same. */
  onUnknown?: (override: BootOverride) => void;
  clock: Clock;
  /** Ends waits between attempts. */
  signal: AbortSignal;
}

/**
 * Keeps the boot override of one VM. It stands in the BMC's status, with what it takes to undo it, before it is written
 * to the VM's template, and until it is undone there: whichever step is the last before a crash, `settle` goes on from
 * what stands in the API. `set` and `settle` are not to run at the same time.
 */
export class BootOverrideControl {
  readonly #options: BootOverrideControlOptions;
  /**
   * The override, but for its expiry, that this process has seen in the template: who takes it out of there again wants
   * it out.
   */
  #inTemplate: BootOverrideStatus | undefined;
  /** The VM as a write of this process has left it; watches may be behind. */
  #written: VirtualMachine | undefined;
  /** When `settle` last looked, ms since 1970. */
  #looked = -Infinity;

  constructor(options: BootOverrideControlOptions) {
    this.#options = options;
  }

  /** The VM with what was written to it here, until the watch that `cached` comes from is past it: clients read back at once. */
  latest(cached: VirtualMachine): VirtualMachine {
    return newerOf(cached, this.#written);
  }

  /** Boot orders that the machine has without the override. */
  ownOrdersIn(vm: VirtualMachine): BootOrders {
    const saved = this.#options.status.latest?.status?.bootOverride;
    return ownOrdersOf(vm, saved?.vmUID === vm.metadata.uid ? saved : undefined);
  }

  /** The override in force. */
  overrideIn(pair: MachinePair): BootOverride | undefined {
    const bmc = this.#options.status.latest;
    const saved = bmc?.status?.bootOverride;
    if (bmc === undefined || saved === undefined) return undefined;
    const verdict = evaluateOverride({ bmc, ...pair, now: this.#options.clock.now() });
    return IS_OVER.has(verdict) ? undefined : overrideOf(saved);
  }

  /**
   * Milliseconds until `settle` is to find that the override has lapsed: 0 where its time has come since `settle` last
   * looked; undefined where there is no such time, or `settle` has looked after it and there was something in the way.
   */
  get lapsesIn(): number | undefined {
    const expires = this.#options.status.latest?.status?.bootOverride?.expires;
    if (expires === undefined) return undefined;
    const lapses = Date.parse(expires);
    return lapses > this.#looked ? Math.max(0, lapses - this.#options.clock.now()) : undefined;
  }

  /**
   * Sets the override, or with undefined undoes it. Resolves when it stands in the VM's template.
   *
   * @param lapseAfter ms after which `settle` undoes it unless a boot is asked for; undefined: never
   * @returns whether it is another than stood before; one that only lapses at another time is not
   * @throws MachineError
   */
  async set(asked: BootOverride | undefined, lapseAfter?: number): Promise<boolean> {
    const override = asked && plainOverride(asked);
    const expires = this.#expiry(lapseAfter);
    const attempt = new OverrideAttempt();
    try {
      return await this.#persist(async (view) => {
        const { bmc, vm } = view;
        assertThere(bmc, vm);
        if (override === undefined) return await this.#undo(bmc, vm);
        return await this.#put(override, { ...view, vm }, { expires, attempt });
      });
    } catch (error) {
      if (override !== undefined) await this.#takeBack(override, attempt);
      throw error;
    }
  }

  /**
   * Makes the machine's own boot order, as {@link Machine.setBootOrder} has it; of an override that stands, what is restored after it.
   *
   * @returns whether it is another than before
   * @throws MachineError
   */
  async setOrder(keys: readonly string[]): Promise<boolean> {
    return await this.#persist(async (view) => {
      const { bmc, vm } = view;
      assertThere(bmc, vm);
      const orders = ordersFor(vm, keys);
      const verdict = this.#evaluate(view, false);
      if (!isAtRest(verdict)) {
        await this.#carryOut(verdict, view, false);
        throw new ChangedMeanwhile();
      }
      const saved = bmc.status?.bootOverride;
      if (saved === undefined || isOfSetup(saved)) {
        const patch = ordersPatch(vm, orders, await findPodBinding(vm, view.vmi, this.#options.client));
        await this.#patch(vm, patch);
        return patch.length > 0;
      }
      // Whatever is in the template, be it the owner's, gives way to that order when the override ends.
      const bootOverride = { ...saved, ...reorderedBoot(vm, saved, orders) };
      if (isDeepStrictEqual(bootOverride, saved)) return false;
      await this.#options.status.write(bmc, { bootOverride });
      return true;
    });
  }

  /**
   * Does what the override in the status asks for now, if the caches show that it asks for anything.
   *
   * @throws MachineError
   */
  async settle(cached: MachinePair): Promise<void> {
    const bmc = this.#options.status.latest;
    if (bmc === undefined) return;
    const view = { bmc, ...cached, now: this.#options.clock.now() };
    this.#looked = view.now;
    if (isAtRest(this.#evaluate(view, false))) return;
    await this.#carryOutNow(false);
  }

  /**
   * The same before a client's action boots the machine. Here caches that are behind would break the promise that the
   * client was given, and an override that others have taken out of the template is written again. What is still in force
   * lapses no more.
   *
   * @throws MachineError
   */
  async settleBeforeBoot(): Promise<void> {
    await this.#carryOutNow(true);
  }

  async #carryOutNow(asked: boolean): Promise<void> {
    const { done, override } = await this.#persist(async (view) => {
      const saved = view.bmc.status?.bootOverride;
      const verdict = this.#evaluate(view, asked);
      return { done: await this.#carryOut(verdict, view, asked), override: saved && overrideOf(saved) };
    });
    if (!isAtRest(done)) this.#options.onSettled?.(done, override);
  }

  /** A refused override must not be carried out later. Reports it if it may be in force. */
  async #takeBack(override: BootOverride, attempt: OverrideAttempt): Promise<void> {
    const { status, onUnknown } = this.#options;
    try {
      if (attempt.isUnknown) onUnknown?.(override);
      else await attempt.takeBack(status, this.#options);
    } catch {
      onUnknown?.(override);
    }
  }

  #evaluate(view: OverrideView, asked: boolean): OverrideVerdict {
    const saved = view.bmc.status?.bootOverride;
    const verdict = evaluateOverride(view);
    if (saved !== undefined && view.vm !== undefined && verdict === 'pending' && isOverridden(view.vm, saved)) {
      this.#inTemplate = withExpiry(saved, undefined);
    }
    const wasThere = saved !== undefined && isDeepStrictEqual(withExpiry(saved, undefined), this.#inTemplate);
    return verdict === 'write' && wasThere && !asked ? 'pending' : verdict;
  }

  async #carryOut(verdict: OverrideVerdict, view: OverrideView, asked: boolean): Promise<OverrideVerdict> {
    const { bmc, vm } = view;
    if (vm === undefined) return 'pending';
    switch (verdict) {
      case 'none':
        return verdict;
      case 'pending':
        if (asked) await this.#setExpiry(bmc, undefined);
        return verdict;
      case 'drop':
      case 'restore':
      case 'lapse':
        await this.#undo(bmc, vm);
        return verdict;
      case 'write':
      case 'adopt':
        return (await this.#writeAgain({ ...view, vm }, asked)) ? verdict : 'drop';
    }
  }

  /** False: it cannot be any more, the VM being what it is now, and has been dropped. */
  async #writeAgain(view: OverrideView & { vm: VirtualMachine }, asked: boolean): Promise<boolean> {
    const { status } = this.#options;
    const { bmc, vm, vmi } = view;
    const saved = bmc.status?.bootOverride;
    const override = saved && overrideOf(saved);
    if (override === undefined) return true;
    const isSameVm = saved?.vmUID === vm.metadata.uid;
    const vmiUID = (isSameVm ? saved?.vmiUID : vmi?.metadata.uid) ?? '';
    try {
      const binding = await findPodBinding(vm, vmi, this.#options.client);
      await this.#save(bmc, vm, override, { vmiUID, binding, expires: asked ? undefined : saved?.expires });
      return true;
    } catch (error) {
      if (!(error instanceof NoBootDeviceError) && !isInvalid(error)) throw error;
      const now = await status.read();
      if (now.status?.bootOverride !== undefined) await status.write(now, { bootOverride: undefined });
      return false;
    }
  }

  /** In place of an override that stands already, if one does. @returns whether it is another than that */
  async #put(
    override: BootOverride,
    view: OverrideView & { vm: VirtualMachine },
    { expires, attempt }: { expires: string | undefined; attempt: OverrideAttempt },
  ): Promise<boolean> {
    const { bmc, vm, vmi } = view;
    // Nothing is undone, nor promised again, for an override that cannot be.
    saveOverride(override, vm, vmi, await findPodBinding(vm, vmi, this.#options.client));
    const saved = bmc.status?.bootOverride;
    if (saved !== undefined && isDeepStrictEqual(overrideOf(saved), override)) {
      if (evaluateOverride(view) === 'pending' && isOverridden(vm, saved)) {
        await this.#setExpiry(bmc, expires);
        return false;
      }
    }
    const original = saved?.vmUID === vm.metadata.uid ? await this.#patch(vm, restorePatch(vm, saved)) : vm;
    const binding = await findPodBinding(original, vmi, this.#options.client);
    // If this override is refused, `settle` writes the previous one to the template again.
    this.#inTemplate = undefined;
    const promise = { vmiUID: vmi?.metadata.uid ?? '', binding, expires };
    await attempt.write(saved, () => this.#save(bmc, original, override, promise, attempt));
    return true;
  }

  /** Of an override that stands; nothing where none does. */
  async #setExpiry(bmc: VirtualMachineBMC, expires: string | undefined): Promise<void> {
    const saved = bmc.status?.bootOverride;
    if (saved === undefined || saved.expires === expires) return;
    await this.#options.status.write(bmc, { bootOverride: withExpiry(saved, expires) });
  }

  /** First what it takes to undo it, then the VM. */
  async #save(
    bmc: VirtualMachineBMC,
    vm: VirtualMachine,
    override: BootOverride,
    { vmiUID, binding, expires }: { vmiUID: string; binding: PodBinding | undefined; expires: string | undefined },
    attempt?: OverrideAttempt,
  ): Promise<void> {
    const { status } = this.#options;
    const saved = withExpiry({ ...saveOverride(override, vm, undefined, binding), vmiUID }, expires);
    const before = bmc.status?.bootOverride;
    const written = isDeepStrictEqual(before, saved) ? bmc : await status.write(bmc, { bootOverride: saved });
    const stands = written.status?.bootOverride;
    attempt?.noteSaved(stands);
    await this.#patch(vm, bootOrderPatch(vm, choiceOf(override), override.firmware, binding));
    this.#inTemplate = stands && withExpiry(stands, undefined);
  }

  /** @returns whether there was one */
  async #undo(bmc: VirtualMachineBMC, vm: VirtualMachine): Promise<boolean> {
    const saved = bmc.status?.bootOverride;
    if (saved === undefined) return false;
    // Should the override turn out to be wanted after all, nobody but this process has taken it out.
    this.#inTemplate = undefined;
    if (saved.vmUID === vm.metadata.uid) await this.#patch(vm, restorePatch(vm, saved));
    await this.#options.status.write(bmc, { bootOverride: undefined });
    return true;
  }

  async #patch(vm: VirtualMachine, patch: JsonPatchOp[]): Promise<VirtualMachine> {
    const { client, machine } = this.#options;
    // Where there is nothing to write, what was read is news to a watch that is behind all the same.
    this.#written = patch.length === 0 ? vm : await client.patch(VIRTUAL_MACHINES, machine, 'json', patch);
    return this.#written;
  }

  #expiry(lapseAfter: number | undefined): string | undefined {
    if (lapseAfter === undefined) return undefined;
    return new Date(this.#options.clock.now() + lapseAfter).toISOString();
  }

  /** Reads everything and does `step`, and that again as long as others were quicker. */
  async #persist<T>(step: (view: OverrideView) => Promise<T>): Promise<T> {
    const { client, machine, status, clock, signal } = this.#options;
    return await retryOnConflict(
      async () => {
        const pair = await readMachine(client, machine);
        // After the VM: nothing is written to one that its BMC, gone by then, has been released from.
        const bmc = await status.read();
        return await step({ bmc, ...pair, now: clock.now() });
      },
      { clock, signal, isLost, tell },
    );
  }
}

/** Verdicts on an override that is not in force any more and has yet to be undone. */
const IS_OVER: ReadonlySet<OverrideVerdict> = new Set(['restore', 'lapse', 'drop']);

function withExpiry(saved: BootOverrideStatus, expires: string | undefined): BootOverrideStatus {
  const { expires: _before, ...rest } = saved;
  return expires === undefined ? rest : { ...rest, expires };
}

function isAtRest(verdict: OverrideVerdict): boolean {
  return verdict === 'none' || verdict === 'pending';
}

/** What was read is not what is there any more. */
class ChangedMeanwhile extends Error {}

function isLost(error: unknown): boolean {
  const isConflicting = error instanceof ApiError && error.status === 409;
  return isConflicting || error instanceof ChangedMeanwhile || isLostRace(error);
}

function tell(error: unknown): unknown {
  if (error instanceof NoBootDeviceError) return new MachineError('NotSupported', error.message, { cause: error });
  return told(error);
}
