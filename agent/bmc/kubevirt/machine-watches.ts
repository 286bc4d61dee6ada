import {
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../../../api/index.ts';
import type { ObjectWatch, ObjectWatches } from '../objects/named-watches.ts';
import type { MachinePair } from './machine-objects.ts';

/** Watches a VM and its VMI, which has the same name. */
export class MachineWatches {
  readonly #vm: ObjectWatch<VirtualMachine>;
  readonly #vmi: ObjectWatch<VirtualMachineInstance>;

  /** @param onChange called when `pair` may have changed */
  constructor(watches: ObjectWatches, name: string, onChange: () => void) {
    this.#vm = watches.watch(VIRTUAL_MACHINES, name, onChange);
    this.#vmi = watches.watch(VIRTUAL_MACHINE_INSTANCES, name, onChange);
  }

  /** Undefined until both watches have started. */
  get pair(): MachinePair | undefined {
    return this.#vm.hasSettled && this.#vmi.hasSettled ? { vm: this.#vm.object, vmi: this.#vmi.object } : undefined;
  }

  /** Whether the pair is recent enough to rely on. */
  get isFresh(): boolean {
    return this.#vm.isFresh && this.#vmi.isFresh;
  }

  /** Reads stale objects of the pair from the API server, for up to 2 s. Never rejects; see `isFresh`. */
  async refresh(): Promise<void> {
    await Promise.all([this.#vm.refresh(), this.#vmi.refresh()]);
  }

  stop(): void {
    this.#vm.stop();
    this.#vmi.stop();
  }
}
