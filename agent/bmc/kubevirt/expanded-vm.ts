import { VIRTUAL_MACHINES, type VirtualMachine } from '../../../api/index.ts';
import { objectPath } from '@groundcrew/controller-runtime';
import type { MachineContext, MachinePair } from './machine-objects.ts';

/** ms between attempts to expand a VM. */
export const RETRY_AFTER = 60_000;

type ExpandedVmOptions = Pick<MachineContext, 'client' | 'machine' | 'clock' | 'logger'>;

/**
 * The VM with its instance type and preference applied by KubeVirt's `expand-spec`, while it is off; a running VM has
 * them in its VMI. One request per generation of the VM.
 */
export class ExpandedVm {
  readonly #options: ExpandedVmOptions;
  #asked: { version: string; at: number } | undefined;
  #expanded: { version: string; vm: VirtualMachine } | undefined;

  constructor(options: ExpandedVmOptions) {
    this.#options = options;
  }

  /** The pair with the expanded VM, if there is no VMI and the expansion is known. */
  in(pair: MachinePair): MachinePair {
    const { vm, vmi } = pair;
    if (vm === undefined || vmi !== undefined || this.#expanded?.version !== versionOf(vm)) return pair;
    const { preference: _applied, ...spec } = vm.spec;
    return { vm: { ...vm, spec: { ...spec, template: this.#expanded.vm.spec.template } }, vmi };
  }

  /** Requests the expansion if it is missing. Never rejects: a failed request is retried at a later call. */
  async follow({ vm, vmi }: MachinePair): Promise<void> {
    if (vm === undefined || vmi !== undefined) return;
    if (vm.spec.instancetype === undefined && vm.spec.preference === undefined) return;
    const version = versionOf(vm);
    const { client, machine, clock, logger } = this.#options;
    if (this.#expanded?.version === version) return;
    if (this.#asked?.version === version && clock.monotonic() < this.#asked.at + RETRY_AFTER) return;
    this.#asked = { version, at: clock.monotonic() };
    try {
      const path = objectPath({ ...VIRTUAL_MACHINES, group: 'subresources.kubevirt.io' }, machine, 'expand-spec');
      const expanded = (await client.request({ method: 'GET', path })) as VirtualMachine; // KubeVirt's own answer
      this.#expanded = { version, vm: expanded };
    } catch (error) {
      logger.warn({ err: error }, 'KubeVirt does not expand the instance type of the VM; trying again later');
    }
  }
}

function versionOf({ metadata }: VirtualMachine): string {
  return `${metadata.uid ?? ''} ${metadata.generation ?? 0}`;
}
