import { isDeepStrictEqual } from 'node:util';
import {
  BOOT_OVERRIDE_ANNOTATION,
  bootOrderPatch,
  type BootOrders,
  type BootOverrideStatus,
  type JsonPatchOp,
  NoBootDeviceError,
  noteOfOverride,
  ordersFor,
  ordersPatch,
  overrideToUndo,
  ownOrdersOf,
  patchedVm,
  reorderedBoot,
  restorePatch,
  savedOverrideOf,
  shownOverrideOf,
  unchangedSince,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineBMC,
  vmNotePatch,
} from '../../../../api/index.ts';
import { ApiError, isInvalid, isLostRace, type RequestOptions } from '@groundcrew/controller-runtime';
import { type BootOverride, MachineError } from '../../../../protocols/machine/index.ts';
import { clientError, sendSetting } from '../../objects/client-error.ts';
import { newerOf } from '../../objects/object-version.ts';
import { findPodBinding } from '../kubevirt-configuration.ts';
import {
  assertThere,
  changeMachine,
  type MachineContext,
  type MachinePair,
  readInstance,
  readMachine,
} from '../machine-objects.ts';
import { plainOverride } from './requested-override.ts';
import {
  choiceOf,
  evaluateOverride,
  isOfSetup,
  isOverridden,
  overrideOf,
  type OverrideVerdict,
  type OverrideView,
  saveOverride,
} from './saved-override.ts';

export interface BootOverrideControlOptions extends Pick<
  MachineContext,
  'client' | 'machine' | 'status' | 'clock' | 'signal'
> {
  /** Called with the result of `settle`, and its override if known. */
  onSettled?: (done: OverrideVerdict, override: BootOverride | undefined) => void;
}

/** An override to write into the VM's template. */
interface Promised {
  override: BootOverride;
  expires: string | undefined;
  /** UID of the VMI that was started before the override; empty: none. */
  vmiUID: string;
}

/** The objects, and the options of all requests that are made with them. */
type BoundedView = OverrideView & { bounds: RequestOptions };
/** `isSetting`: a client sets the override or the order. */
type ThereView = BoundedView & { vm: VirtualMachine; isSetting: boolean };
type CachedObjects = Pick<ThereView, 'bmc' | 'vm'>;

/**
 * Manages the boot override of one VM. The override and the data to undo it are in an annotation of the VM, which one
 * request writes together with the template, and another one removes. The BMC's status has a copy for users and for the
 * manager. After a crash at any step, `settle` continues from the objects in the API. `set` and `settle` must not run
 * concurrently.
 */
export class BootOverrideControl {
  readonly #options: BootOverrideControlOptions;
  /** The VM as this process has last seen or written it; watches may be stale. */
  #seen: VirtualMachine | undefined;
  /** Time of the last `settle`, ms since 1970. */
  #looked = -Infinity;

  constructor(options: BootOverrideControlOptions) {
    this.#options = options;
  }

  /**
   * The VM after the last write of this process, until the watch behind `cached` has caught up: clients read their
   * writes at once.
   */
  latest(cached: VirtualMachine): VirtualMachine {
    return newerOf(cached, this.#seen);
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
  get lapsesIn(): number | undefined {
    const bmc = this.#options.status.latest;
    const { expires } = (bmc && savedOverrideOf(bmc, this.#seen)?.saved) ?? {};
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
    return await this.#changed(async (view) => {
      if (override === undefined) return await this.#undo(view);
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
    return await this.#changed(async (view) => {
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
        await this.#patch(view, patch);
        return patch.length > 0;
      }
      // When the override ends, this order replaces the one in the template, even one set by the owner.
      const next = { ...saved, ...reorderedBoot(vm, saved, orders) };
      await this.#note(view, next);
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
    this.#seen = vm;
    this.#looked = view.now;
    if (isAtRest(this.#evaluate(view, false)) && isShown(bmc, vm)) return;
    // A copy in the status alone may be newer than the cached VM.
    const isNoted = savedOverrideOf(bmc, vm)?.from === 'machine';
    await this.#carryOutNow(false, undefined, isNoted && vm !== undefined ? { bmc, vm } : undefined);
  }

  /**
   * Like `settle`, before a client's action boots the machine. Reads the objects from the API server, because stale
   * caches could break the promise made to the client. Writes an override again that others removed from the template.
   * Removes the expiry of an override in force.
   *
   * @returns the machine as it has read and written it
   * @throws MachineError
   */
  async settleBeforeBoot(deadline?: AbortSignal): Promise<MachinePair> {
    return await this.#carryOutNow(true, deadline);
  }

  async #carryOutNow(asked: boolean, deadline?: AbortSignal, cached?: CachedObjects): Promise<MachinePair> {
    const { done, override, pair } = await this.#persist(
      async (view) => {
        const { bmc, vm, vmi } = view;
        const found = savedOverrideOf(bmc, vm);
        const verdict = this.#evaluate(view, asked);
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
    await this.#show(view);
    return done;
  }

  async #changeVm(verdict: OverrideVerdict, view: ThereView, asked: boolean): Promise<OverrideVerdict> {
    const { bmc, vm } = view;
    switch (verdict) {
      case 'none':
        return verdict;
      case 'pending': {
        const saved = bmc.metadata.deletionTimestamp === undefined ? overrideToUndo(bmc, vm) : undefined;
        if (saved !== undefined) await this.#note(view, asked ? withExpiry(saved, undefined) : saved);
        return verdict;
      }
      case 'forget':
      case 'drop':
      case 'restore':
      case 'lapse':
        await this.#undo(view);
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
      await this.#write({ override, vmiUID, expires: asked ? undefined : saved?.expires }, view);
      return true;
    } catch (error) {
      if (!(error instanceof NoBootDeviceError) && !isInvalid(error)) throw error;
      await this.#undo(view);
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
    const patch = await this.#patchFor(promised, view);
    const isThere = evaluateOverride(view) === 'pending' && saved !== undefined && isOverridden(vm, saved);
    if (isThere && isDeepStrictEqual(overrideOf(saved), promised.override)) {
      await this.#note(view, withExpiry(saved, promised.expires));
      return false;
    }
    await this.#patch(view, patch);
    return true;
  }

  async #write(promised: Promised, view: ThereView): Promise<void> {
    await this.#patch(view, await this.#patchFor(promised, view));
  }

  /**
   * Undoes the current override and writes the promised one with its annotation. It fails if the VM has changed: a VM
   * that a deleted BMC has released must not be written.
   *
   * @throws NoBootDeviceError
   */
  async #patchFor({ override, expires, vmiUID }: Promised, view: ThereView): Promise<JsonPatchOp[]> {
    const { bmc, vm, vmi, bounds } = view;
    const undo = restorePatch(vm, overrideToUndo(bmc, vm));
    const original = patchedVm(vm, undo);
    const binding = await findPodBinding(original, vmi, this.#options.client, bounds);
    const saved = withExpiry({ ...saveOverride(override, original, vmi, binding), vmiUID }, expires);
    return [
      unchangedSince(vm),
      ...undo,
      ...bootOrderPatch(original, choiceOf(override), override.firmware, binding),
      ...vmNotePatch(original, BOOT_OVERRIDE_ANNOTATION, noteOfOverride(saved)),
    ];
  }

  /** @returns whether there was an override */
  async #undo(view: ThereView): Promise<boolean> {
    const { bmc, vm } = view;
    await this.#patch(view, restorePatch(vm, overrideToUndo(bmc, vm)));
    return savedOverrideOf(bmc, vm) !== undefined;
  }

  /** Writes the annotation alone. */
  async #note(view: ThereView, saved: BootOverrideStatus): Promise<void> {
    const { vm } = view;
    const patch = vmNotePatch(vm, BOOT_OVERRIDE_ANNOTATION, noteOfOverride(saved));
    await this.#patch(view, patch.length === 0 ? [] : [unchangedSince(vm), ...patch]);
  }

  /** @throws ApiError 409 if the BMC has changed */
  async #show({ bmc, vm: read, bounds }: ThereView): Promise<void> {
    const vm = this.latest(read);
    if (isShown(bmc, vm)) return;
    await this.#options.status.write(bmc, { bootOverride: shownOverrideOf(vm) }, bounds);
  }

  async #patch({ vm, bounds, isSetting }: ThereView, patch: JsonPatchOp[]): Promise<void> {
    const { client, machine } = this.#options;
    const send = (): Promise<VirtualMachine> => client.patch(VIRTUAL_MACHINES, machine, 'json', patch, bounds);
    // Even without a write, the VM just read may be newer than the watch cache.
    if (patch.length === 0) this.#seen = vm;
    // A power command that fails here has not begun: its outcome is known.
    else this.#seen = isSetting ? await sendSetting(send, bounds) : await send();
  }

  #expiry(lapseAfter: number | undefined): string | undefined {
    if (lapseAfter === undefined) return undefined;
    return new Date(this.#options.clock.now() + lapseAfter).toISOString();
  }

  /** {@link #persist} for a client's request, and shows the result in the BMC's status. */
  async #changed(step: (view: ThereView) => Promise<boolean>, deadline?: AbortSignal): Promise<boolean> {
    const { isAnother, there } = await this.#persist(async (view) => {
      const { bmc, vm } = view;
      assertThere(bmc, vm);
      const there = { ...view, vm, isSetting: true };
      return { isAnother: await step(there), there };
    }, deadline);
    // It is done. If the status cannot be written now, `settle` does it.
    await this.#show(there).catch(() => undefined);
    return isAnother;
  }

  /**
   * Reads all objects and runs `step`; repeats both after a conflict.
   *
   * @param cached is not read at the first attempt
   */
  async #persist<T>(
    step: (view: BoundedView) => Promise<T>,
    deadline?: AbortSignal,
    cached?: CachedObjects,
  ): Promise<T> {
    const { clock, signal } = this.#options;
    const bounds = deadline === undefined ? {} : { signal: deadline };
    let known = cached;
    return await changeMachine(
      async () => {
        const objects = await this.#read(known, bounds);
        known = undefined;
        return await step({ ...objects, now: clock.now(), bounds });
      },
      { clock, signal, isConflict, toClient },
    );
  }

  /** The VMI is always read: an earlier one in the cache could seem to have booted with the override. */
  async #read(cached: CachedObjects | undefined, bounds: RequestOptions): Promise<Omit<OverrideView, 'now'>> {
    const { client, machine, status } = this.#options;
    if (cached !== undefined) return { ...cached, vmi: await readInstance(client, machine, bounds) };
    const pair = await readMachine(client, machine, bounds);
    // Read the BMC after the VM: a VM that a deleted BMC has released must not be written.
    return { bmc: await status.read(bounds), ...pair };
  }
}

/** Verdicts on an override that is no longer in force and must be undone. */
const IS_OVER: ReadonlySet<OverrideVerdict> = new Set(['restore', 'lapse', 'drop', 'forget']);

function withExpiry(saved: BootOverrideStatus, expires: string | undefined): BootOverrideStatus {
  const { expires: _before, ...rest } = saved;
  return expires === undefined ? rest : { ...rest, expires };
}

function isAtRest(verdict: OverrideVerdict): boolean {
  return verdict === 'none' || verdict === 'pending';
}

/** Whether the BMC's status shows the override of the VM, or is not to be written. */
function isShown({ metadata, status }: VirtualMachineBMC, vm: VirtualMachine | undefined): boolean {
  if (vm === undefined || vm.metadata.deletionTimestamp !== undefined) return true;
  return metadata.deletionTimestamp !== undefined || isDeepStrictEqual(shownOverrideOf(vm), status?.bootOverride);
}

/** The object has changed since it was read. */
class ChangedMeanwhile extends Error {}

function isConflict(error: unknown): boolean {
  const isConflicting = error instanceof ApiError && error.status === 409;
  return isConflicting || error instanceof ChangedMeanwhile || isLostRace(error);
}

function toClient(error: unknown): unknown {
  if (error instanceof NoBootDeviceError) return new MachineError('NotSupported', error.message, { cause: error });
  return clientError(error);
}
