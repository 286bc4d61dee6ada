import { isDeepStrictEqual } from 'node:util';
import {
  bootOrderPatch,
  type BootOrders,
  type BootOverrideStatus,
  type JsonPatchOp,
  NoBootDeviceError,
  ordersFor,
  ordersPatch,
  ownOrdersOf,
  type PodBinding,
  reorderedBoot,
  restorePatch,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineBMC,
} from '../../../../api/index.ts';
import { ApiError, isInvalid, isLostRace } from '@groundcrew/controller-runtime';
import { type BootOverride, MachineError } from '../../../../protocols/machine/index.ts';
import { clientError } from '../../objects/client-error.ts';
import { newerOf } from '../../objects/object-version.ts';
import { findPodBinding } from '../kubevirt-configuration.ts';
import { assertThere, changeMachine, type MachineContext, type MachinePair, readMachine } from '../machine-objects.ts';
import { OverrideAttempt } from './override-attempt.ts';
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
  /** Called with an override whose write failed for the client but that may still be in force. */
  onUnknown?: (override: BootOverride) => void;
}

/**
 * Manages the boot override of one VM. The override, with the data to undo it, is in the BMC's status from before it is
 * written to the VM's template until it is undone there. After a crash at any step, `settle` continues from the objects
 * in the API. `set` and `settle` must not run concurrently.
 */
export class BootOverrideControl {
  readonly #options: BootOverrideControlOptions;
  /**
   * The override, without its expiry, that this process has seen in the template. If it disappears from there, another
   * client removed it on purpose.
   */
  #inTemplate: BootOverrideStatus | undefined;
  /** The VM after the last write of this process; watches may be stale. */
  #written: VirtualMachine | undefined;
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
    return newerOf(cached, this.#written);
  }

  /** The machine's boot orders without the override. */
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
   * Milliseconds until `settle` must check the override for expiry. 0 if it expired since the last `settle`. Undefined
   * if it does not expire, or if `settle` has run after the expiry and could not undo it.
   */
  get lapsesIn(): number | undefined {
    const expires = this.#options.status.latest?.status?.bootOverride?.expires;
    if (expires === undefined) return undefined;
    const lapses = Date.parse(expires);
    return lapses > this.#looked ? Math.max(0, lapses - this.#options.clock.now()) : undefined;
  }

  /**
   * Sets the override, or clears it with undefined. Resolves when it is in the VM's template.
   *
   * @param lapseAfter ms after which `settle` undoes it unless a boot is requested; undefined: never
   * @returns whether the override has changed; a new expiry alone is no change
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
   * Sets the machine's own boot order, see {@link Machine.setBootOrder}. While an override is in force, sets the order
   * that is restored after it.
   *
   * @returns whether the order has changed
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
      // When the override ends, this order replaces the one in the template, even one set by the owner.
      const bootOverride = { ...saved, ...reorderedBoot(vm, saved, orders) };
      if (isDeepStrictEqual(bootOverride, saved)) return false;
      await this.#options.status.write(bmc, { bootOverride });
      return true;
    });
  }

  /**
   * Does what the override in the status requires now, if the caches show that anything is required.
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
   * Like `settle`, before a client's action boots the machine. Reads the objects from the API server, because stale
   * caches could break the promise made to the client. Writes an override again that others removed from the template.
   * Removes the expiry of an override in force.
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

  /** Ensures that a refused override is not carried out later. Reports it if it may be in force. */
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

  /** False: the override is no longer possible with the current VM, and has been dropped. */
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

  /**
   * Replaces the current override, if any.
   *
   * @returns whether the override has changed
   */
  async #put(
    override: BootOverride,
    view: OverrideView & { vm: VirtualMachine },
    { expires, attempt }: { expires: string | undefined; attempt: OverrideAttempt },
  ): Promise<boolean> {
    const { bmc, vm, vmi } = view;
    // Fails before the current override is undone or a new one is saved, if the override is impossible.
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

  /** Sets the expiry of the current override; no effect without one. */
  async #setExpiry(bmc: VirtualMachineBMC, expires: string | undefined): Promise<void> {
    const saved = bmc.status?.bootOverride;
    if (saved === undefined || saved.expires === expires) return;
    await this.#options.status.write(bmc, { bootOverride: withExpiry(saved, expires) });
  }

  /** Saves the data to undo the override first, then writes the VM. */
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

  /** @returns whether there was an override */
  async #undo(bmc: VirtualMachineBMC, vm: VirtualMachine): Promise<boolean> {
    const saved = bmc.status?.bootOverride;
    if (saved === undefined) return false;
    // This process removed it: if the override is written again, this does not count as a removal by others.
    this.#inTemplate = undefined;
    if (saved.vmUID === vm.metadata.uid) await this.#patch(vm, restorePatch(vm, saved));
    await this.#options.status.write(bmc, { bootOverride: undefined });
    return true;
  }

  async #patch(vm: VirtualMachine, patch: JsonPatchOp[]): Promise<VirtualMachine> {
    const { client, machine } = this.#options;
    // Even without a write, the VM just read may be newer than the watch cache.
    this.#written = patch.length === 0 ? vm : await client.patch(VIRTUAL_MACHINES, machine, 'json', patch);
    return this.#written;
  }

  #expiry(lapseAfter: number | undefined): string | undefined {
    if (lapseAfter === undefined) return undefined;
    return new Date(this.#options.clock.now() + lapseAfter).toISOString();
  }

  /** Reads all objects and runs `step`; repeats both after a conflict. */
  async #persist<T>(step: (view: OverrideView) => Promise<T>): Promise<T> {
    const { client, machine, status, clock, signal } = this.#options;
    return await changeMachine(
      async () => {
        const pair = await readMachine(client, machine);
        // Read the BMC after the VM: a VM that a deleted BMC has released must not be written.
        const bmc = await status.read();
        return await step({ bmc, ...pair, now: clock.now() });
      },
      { clock, signal, isConflict, toClient },
    );
  }
}

/** Verdicts on an override that is no longer in force and must be undone. */
const IS_OVER: ReadonlySet<OverrideVerdict> = new Set(['restore', 'lapse', 'drop']);

function withExpiry(saved: BootOverrideStatus, expires: string | undefined): BootOverrideStatus {
  const { expires: _before, ...rest } = saved;
  return expires === undefined ? rest : { ...rest, expires };
}

function isAtRest(verdict: OverrideVerdict): boolean {
  return verdict === 'none' || verdict === 'pending';
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
