import { isDeepStrictEqual } from 'node:util';
import {
  BOOT_OVERRIDE_ANNOTATION,
  bootOrderPatch,
  type BootOverrideStatus,
  type JsonPatchOp,
  NoBootDeviceError,
  noteOfOverride,
  overrideToUndo,
  patchedVm,
  restorePatch,
  savedOverrideOf,
  shownOverrideOf,
  unchangedSince,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineBMC,
  vmNotePatch,
} from '../../../../api/index.ts';
import { ApiError, isLostRace, type RequestOptions } from '@groundcrew/controller-runtime';
import { type BootOverride, MachineError } from '../../../../protocols/machine/index.ts';
import { clientError, sendSetting } from '../../objects/client-error.ts';
import { OwnVersion } from '../../objects/object-version.ts';
import { findPodBinding } from '../kubevirt-configuration.ts';
import { assertThere, changeMachine, type MachineContext, readInstance, readMachine } from '../machine-objects.ts';
import { choiceOf, type OverrideView, saveOverride } from './saved-override.ts';

export type OverrideObjectsOptions = Pick<MachineContext, 'client' | 'machine' | 'status' | 'clock' | 'signal'>;

/** An override to write into the VM's template. */
export interface Promised {
  override: BootOverride;
  expires: string | undefined;
  /** UID of the VMI that was started before the override; empty: none. */
  vmiUID: string;
}

/** The objects, and the options of all requests that are made with them. */
export type BoundedView = OverrideView & { bounds: RequestOptions };
/** `isSetting`: a client sets the override or the order. */
export type ThereView = BoundedView & { vm: VirtualMachine; isSetting: boolean };
/** Without `vm`, it is read. */
export type CachedObjects = Pick<OverrideView, 'bmc'> & Partial<Pick<ThereView, 'vm'>>;

/**
 * Reads the objects that a boot override is in, and writes it: into the VM's template and its annotation, which one request writes
 * together, then into the BMC's status.
 */
export class OverrideObjects {
  readonly #options: OverrideObjectsOptions;
  readonly #own = new OwnVersion<VirtualMachine>();

  constructor(options: OverrideObjectsOptions) {
    this.#options = options;
  }

  /**
   * The VM after the last write of this process, until the watch behind `cached` has caught up: clients read their
   * writes at once.
   */
  latest(cached: VirtualMachine): VirtualMachine {
    return this.#own.over(cached);
  }

  /**
   * {@link withObjects} for a client's request, and shows the result in the BMC's status.
   *
   * @returns what `step` returns: whether anything has changed
   * @throws MachineError
   */
  async change(step: (view: ThereView) => Promise<boolean>, deadline?: AbortSignal): Promise<boolean> {
    const { isAnother, there } = await this.withObjects(async (view) => {
      const { bmc, vm } = view;
      assertThere(bmc, vm);
      const there = { ...view, vm, isSetting: true };
      const isAnother = await step(there);
      // What an earlier version saved in the status takes precedence over the VM.
      if (savedOverrideOf(bmc, vm)?.from === 'earlier') await this.show(there);
      return { isAnother, there };
    }, deadline);
    // It is done. If the status cannot be written now, `settle` does it.
    await this.show(there).catch(() => undefined);
    return isAnother;
  }

  /**
   * Reads all objects and runs `step`; repeats both after a conflict.
   *
   * @param cached is not read at the first attempt
   */
  async withObjects<T>(
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
    if (cached?.vm !== undefined) {
      return { bmc: cached.bmc, vm: cached.vm, vmi: await readInstance(client, machine, bounds) };
    }
    const pair = await readMachine(client, machine, bounds);
    if (cached !== undefined) return { bmc: cached.bmc, ...pair };
    // Read the BMC after the VM: a VM that a deleted BMC has released must not be written.
    return { bmc: await status.read(bounds), ...pair };
  }

  /**
   * Undoes the current override and writes the promised one with its annotation. It fails if the VM has changed: a VM
   * that a deleted BMC has released must not be written.
   *
   * @throws NoBootDeviceError
   */
  async patchFor({ override, expires, vmiUID }: Promised, view: ThereView): Promise<JsonPatchOp[]> {
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

  /** @throws NoBootDeviceError */
  async write(promised: Promised, view: ThereView): Promise<void> {
    await this.patch(view, await this.patchFor(promised, view));
  }

  /** Restores the template and removes the annotation. @returns whether there was an override */
  async undo(view: ThereView): Promise<boolean> {
    const { bmc, vm } = view;
    await this.patch(view, restorePatch(vm, overrideToUndo(bmc, vm)));
    return savedOverrideOf(bmc, vm) !== undefined;
  }

  /** Writes the annotation alone. */
  async note(view: ThereView, saved: BootOverrideStatus): Promise<void> {
    const { vm } = view;
    const patch = vmNotePatch(vm, BOOT_OVERRIDE_ANNOTATION, noteOfOverride(saved));
    await this.patch(view, patch.length === 0 ? [] : [unchangedSince(vm), ...patch]);
  }

  /** Copies the override into the BMC's status. @throws ApiError 409 if the BMC has changed */
  async show({ bmc, vm: read, bounds }: ThereView): Promise<void> {
    const vm = this.latest(read);
    if (isShown(bmc, vm)) return;
    await this.#options.status.write(bmc, { bootOverride: shownOverrideOf(vm) }, bounds);
  }

  /** Writes the VM; keeps it as the newest also if the patch is empty. */
  async patch({ vm, bounds, isSetting }: ThereView, patch: JsonPatchOp[]): Promise<void> {
    const { client, machine } = this.#options;
    const send = (): Promise<VirtualMachine> => client.patch(VIRTUAL_MACHINES, machine, 'json', patch, bounds);
    // Even without a write, the VM just read may be newer than the watch cache.
    if (patch.length === 0) this.#own.note(vm);
    // A power command that fails here has not begun: its outcome is known.
    else this.#own.note(isSetting ? await sendSetting(send, bounds) : await send());
  }
}

/** The override with another expiry, an ISO 8601 time; undefined: none. */
export function withExpiry(saved: BootOverrideStatus, expires: string | undefined): BootOverrideStatus {
  const { expires: _before, ...rest } = saved;
  return expires === undefined ? rest : { ...rest, expires };
}

/** Whether the BMC's status shows the override of the VM, or is not to be written. */
export function isShown({ metadata, status }: VirtualMachineBMC, vm: VirtualMachine | undefined): boolean {
  if (vm === undefined || vm.metadata.deletionTimestamp !== undefined) return true;
  return metadata.deletionTimestamp !== undefined || isDeepStrictEqual(shownOverrideOf(vm), status?.bootOverride);
}

/** The object has changed since it was read. */
export class ChangedMeanwhile extends Error {}

function isConflict(error: unknown): boolean {
  const isConflicting = error instanceof ApiError && error.status === 409;
  return isConflicting || error instanceof ChangedMeanwhile || isLostRace(error);
}

function toClient(error: unknown): unknown {
  if (error instanceof NoBootDeviceError) return new MachineError('NotSupported', error.message, { cause: error });
  return clientError(error);
}
