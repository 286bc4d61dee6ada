import { isDeepStrictEqual } from 'node:util';
import {
  type BootOrders,
  NoBootDeviceError,
  ordersFor,
  ordersPatch,
  overrideToUndo,
  ownOrdersOf,
  reorderedBoot,
  savedOverrideOf,
  type VirtualMachine,
} from '../../../../api/index.ts';
import { isInvalid } from '@groundcrew/controller-runtime';
import type { BootOverride } from '../../../../protocols/machine/index.ts';
import { findPodBinding } from '../kubevirt-configuration.ts';
import type { MachinePair } from '../machine-objects.ts';
import {
  type CachedObjects,
  ChangedMeanwhile,
  isShown,
  OverrideObjects,
  type OverrideObjectsOptions,
  type Promised,
  type ThereView,
  withExpiry,
} from './override-objects.ts';
import { plainOverride } from './requested-override.ts';
import {
  evaluateOverride,
  isOfSetup,
  isOverridden,
  overrideOf,
  type OverrideVerdict,
  type OverrideView,
} from './saved-override.ts';

export interface BootOverrideControlOptions extends OverrideObjectsOptions {
  /** Called with the result of `settle`, and its override if known. */
  onSettled?: (done: OverrideVerdict, override: BootOverride | undefined) => void;
}

/**
 * Manages the boot override of one VM. The override and the data to undo it are in an annotation of the VM, which one
 * request writes together with the template, and another one removes. The BMC's status has a copy for users and for the
 * manager. After a crash at any step, `settle` continues from the objects in the API. `set` and `settle` must not run
 * concurrently.
 */
export class BootOverrideControl {
  readonly #options: BootOverrideControlOptions;
  readonly #objects: OverrideObjects;
  /** Time of the last `settle`, ms since 1970. */
  #looked = -Infinity;

  constructor(options: BootOverrideControlOptions) {
    this.#options = options;
    this.#objects = new OverrideObjects(options);
  }

  /** The VM after the last write of this process, until the watch behind `cached` has caught up. */
  latest(cached: VirtualMachine): VirtualMachine {
    return this.#objects.latest(cached);
  }

  /** The machine's boot orders without the override. */
  ownOrdersIn(vm: VirtualMachine): BootOrders {
    const bmc = this.#options.status.latest;
    return ownOrdersOf(vm, bmc && overrideToUndo(bmc, vm));
  }

  /** The override in force. */
  overrideIn({ vm: cached, vmi }: MachinePair): BootOverride | undefined {
    const bmc = this.#options.status.latest;
    if (bmc === undefined) return undefined;
    const vm = cached && this.latest(cached);
    const found = savedOverrideOf(bmc, vm);
    const verdict = evaluateOverride({ bmc, vm, vmi, now: this.#options.clock.now() });
    return found === undefined || IS_OVER.has(verdict) ? undefined : overrideOf(found.saved);
  }

  /**
   * Milliseconds until `settle` must check the override for expiry. 0 if it expired since the last `settle`. Undefined
   * if it does not expire, or if `settle` has run after the expiry and could not undo it.
   */
  lapsesIn(cached: VirtualMachine | undefined): number | undefined {
    const bmc = this.#options.status.latest;
    const vm = cached && this.latest(cached);
    const { expires } = (bmc && savedOverrideOf(bmc, vm)?.saved) ?? {};
    if (expires === undefined) return undefined;
    const lapses = Date.parse(expires);
    return lapses > this.#looked ? Math.max(0, lapses - this.#options.clock.now()) : undefined;
  }

  /**
   * Sets the override, or clears it with undefined. Resolves when it is in the VM's template.
   *
   * @param lapseAfter ms after which `settle` undoes it unless a boot is requested; undefined: never
   * @param deadline aborts all requests
   * @returns whether the override has changed; a new expiry alone is no change
   * @throws MachineError
   */
  async set(asked: BootOverride | undefined, lapseAfter?: number, deadline?: AbortSignal): Promise<boolean> {
    const override = asked && plainOverride(asked);
    const expires = this.#expiry(lapseAfter);
    return await this.#objects.change(async (view) => {
      if (override === undefined) return await this.#objects.undo(view);
      return await this.#put({ override, expires, vmiUID: view.vmi?.metadata.uid ?? '' }, view);
    }, deadline);
  }

  /**
   * Sets the machine's own boot order, see {@link Machine.setBootOrder}. While an override is in force, sets the order
   * that is restored after it.
   *
   * @returns whether the order has changed
   * @throws MachineError
   */
  async setOrder(keys: readonly string[], deadline?: AbortSignal): Promise<boolean> {
    return await this.#objects.change(async (view) => {
      const { bmc, vm, vmi, bounds } = view;
      const orders = ordersFor(vm, keys);
      const verdict = this.#evaluate(view, false);
      if (!isAtRest(verdict)) {
        await this.#carryOut(verdict, view, false);
        throw new ChangedMeanwhile();
      }
      const saved = overrideToUndo(bmc, vm);
      if (saved === undefined || isOfSetup(saved)) {
        const patch = ordersPatch(vm, orders, await findPodBinding(vm, vmi, this.#options.client, bounds));
        await this.#objects.patch(view, patch);
        return patch.length > 0;
      }
      // When the override ends, this order replaces the one in the template, even one set by the owner.
      const next = { ...saved, ...reorderedBoot(vm, saved, orders) };
      await this.#objects.note(view, next);
      return !isDeepStrictEqual(next, saved);
    }, deadline);
  }

  /**
   * Does what the override requires now, and copies it into the BMC's status, if the caches show that anything is
   * required. The first attempt is with the VM and the BMC of the caches: its writes fail if these have changed.
   *
   * @throws MachineError
   */
  async settle({ vm: cached, vmi }: MachinePair): Promise<void> {
    const bmc = this.#options.status.latest;
    if (bmc === undefined) return;
    const vm = cached && this.latest(cached);
    const view = { bmc, vm, vmi, now: this.#options.clock.now() };
    this.#looked = view.now;
    if (isAtRest(this.#evaluate(view, false)) && isShown(bmc, vm)) return;
    // A copy in the status alone may be newer than the cached VM.
    const isNoted = savedOverrideOf(bmc, vm)?.from === 'machine';
    await this.#carryOutNow(false, undefined, isNoted && vm !== undefined ? { bmc, vm } : undefined);
  }

  /**
   * Like `settle`, before a client's action boots the machine. Reads the VM and its VMI from the API server, because stale
   * caches could break the promise made to the client; the BMC only if more is to be done than the VM's own note says.
   * Writes an override again that others removed from the template.
   * Removes the expiry of an override in force; the copy in the BMC's status is left to `settle`.
   *
   * @returns the machine as it has read and written it
   * @throws MachineError
   */
  async settleBeforeBoot(deadline?: AbortSignal): Promise<MachinePair> {
    const bmc = this.#options.status.latest;
    return await this.#carryOutNow(true, deadline, bmc && { bmc });
  }

  async #carryOutNow(asked: boolean, deadline?: AbortSignal, cached?: CachedObjects): Promise<MachinePair> {
    const { done, override, pair } = await this.#objects.withObjects(
      async (view) => {
        const { bmc, vm, vmi } = view;
        const found = savedOverrideOf(bmc, vm);
        const verdict = this.#evaluate(view, asked);
        // What the VM says needs no BMC. All else is done with the BMC as it is now.
        if (asked && bmc === cached?.bmc && !isAtRest(verdict)) throw new ChangedMeanwhile();
        const done =
          vm === undefined ? verdict : await this.#carryOut(verdict, { ...view, vm, isSetting: false }, asked);
        return { done, override: found && overrideOf(found.saved), pair: { vm: vm && this.latest(vm), vmi } };
      },
      deadline,
      cached,
    );
    if (!isAtRest(done)) this.#options.onSettled?.(done, override);
    return pair;
  }

  #evaluate(view: OverrideView, asked: boolean): OverrideVerdict {
    const verdict = evaluateOverride(view);
    return verdict === 'write' && !asked ? 'pending' : verdict;
  }

  /** Writes the VM, then the BMC's status. */
  async #carryOut(verdict: OverrideVerdict, view: ThereView, asked: boolean): Promise<OverrideVerdict> {
    const done = await this.#changeVm(verdict, view, asked);
    if (!asked || !isAtRest(done)) await this.#objects.show(view);
    return done;
  }

  async #changeVm(verdict: OverrideVerdict, view: ThereView, asked: boolean): Promise<OverrideVerdict> {
    const { bmc, vm } = view;
    switch (verdict) {
      case 'none':
        return verdict;
      case 'pending': {
        const saved = bmc.metadata.deletionTimestamp === undefined ? overrideToUndo(bmc, vm) : undefined;
        if (saved !== undefined) await this.#objects.note(view, asked ? withExpiry(saved, undefined) : saved);
        return verdict;
      }
      case 'forget':
      case 'drop':
      case 'restore':
      case 'lapse':
        await this.#objects.undo(view);
        return verdict;
      case 'write':
      case 'adopt':
        return (await this.#writeAgain(view, asked)) ? verdict : 'drop';
    }
  }

  /** False: the override is no longer possible with the current VM, and has been dropped. */
  async #writeAgain(view: ThereView, asked: boolean): Promise<boolean> {
    const { saved, from } = savedOverrideOf(view.bmc, view.vm) ?? {};
    const override = saved && overrideOf(saved);
    if (override === undefined) return true;
    const vmiUID = (from === 'copy' ? view.vmi?.metadata.uid : saved?.vmiUID) ?? '';
    try {
      await this.#objects.write({ override, vmiUID, expires: asked ? undefined : saved?.expires }, view);
      return true;
    } catch (error) {
      if (!(error instanceof NoBootDeviceError) && !isInvalid(error)) throw error;
      await this.#objects.undo(view);
      return false;
    }
  }

  /**
   * Replaces the current override, if any.
   *
   * @returns whether the override has changed
   */
  async #put(promised: Promised, view: ThereView): Promise<boolean> {
    const { bmc, vm } = view;
    const { saved, from } = savedOverrideOf(bmc, vm) ?? {};
    if (from === 'earlier') {
      // What the status says would take precedence over the annotation.
      await this.#carryOut('pending', view, false);
      throw new ChangedMeanwhile();
    }
    const patch = await this.#objects.patchFor(promised, view);
    const isThere = evaluateOverride(view) === 'pending' && saved !== undefined && isOverridden(vm, saved);
    if (isThere && isDeepStrictEqual(overrideOf(saved), promised.override)) {
      await this.#objects.note(view, withExpiry(saved, promised.expires));
      return false;
    }
    await this.#objects.patch(view, patch);
    return true;
  }

  #expiry(lapseAfter: number | undefined): string | undefined {
    if (lapseAfter === undefined) return undefined;
    return new Date(this.#options.clock.now() + lapseAfter).toISOString();
  }
}

/** Verdicts on an override that is no longer in force and must be undone. */
const IS_OVER: ReadonlySet<OverrideVerdict> = new Set(['restore', 'lapse', 'drop', 'forget']);

function isAtRest(verdict: OverrideVerdict): boolean {
  return verdict === 'none' || verdict === 'pending';
}
