import { type JsonPatchOp, VIRTUAL_MACHINES, type VirtualMachine, type VirtualMachineBMC } from '../../../api/index.ts';
import { sendSetting } from '../objects/client-error.ts';
import { OwnVersion } from '../objects/object-version.ts';
import { assertThere, changeMachine, type MachineContext, type MachinePair, readMachine } from './machine-objects.ts';

export type VmEditorOptions = Pick<MachineContext, 'client' | 'machine' | 'status' | 'clock' | 'signal'>;

/** What a change is computed from, as the API server has it. */
interface EditView {
  bmc: VirtualMachineBMC;
  vm: VirtualMachine;
  vmi: MachinePair['vmi'];
}

/** Patches one VM for clients. */
export class VmEditor {
  readonly #options: VmEditorOptions;
  readonly #own = new OwnVersion<VirtualMachine>();

  constructor(options: VmEditorOptions) {
    this.#options = options;
  }

  /** The VM after the last edit, until the watch behind `cached` has caught up. */
  latest(cached: VirtualMachine): VirtualMachine {
    return this.#own.over(cached);
  }

  /**
   * Reads the objects and patches the VM; does both again after a conflict.
   *
   * @param patchOf returns an empty patch if the VM needs no change
   * @param deadline aborts all requests
   * @returns whether the VM was patched
   * @throws MachineError
   */
  async edit(patchOf: (view: EditView) => readonly JsonPatchOp[], deadline: AbortSignal): Promise<boolean> {
    const { client, machine, status } = this.#options;
    const bounds = { signal: deadline };
    return await changeMachine(async () => {
      const bmc = await status.read(bounds);
      const { vm, vmi } = await readMachine(client, machine, bounds);
      assertThere(bmc, vm);
      const patch = patchOf({ bmc, vm, vmi });
      const send = (): Promise<VirtualMachine> => client.patch(VIRTUAL_MACHINES, machine, 'json', patch, bounds);
      this.#own.note(patch.length === 0 ? vm : await sendSetting(send, bounds));
      return patch.length > 0;
    }, this.#options);
  }
}
