import { VIRTUAL_MACHINES, type VirtualMachine } from '../../../api/index.ts';
import { objectPath, type KubeClient, type Logger, type ObjectRef } from '@groundcrew/controller-runtime';
import type { MachinePair } from '../machine/index.ts';

/** ms until a VM that KubeVirt did not expand is tried again. */
export const RETRY_AFTER = 60_000;

export interface ExpandedVmOptions {
  client: KubeClient;
  /** The VM. */
  machine: ObjectRef;
  /** ms since 1970 */
  now: () => number;
  logger: Logger;
}

/**
 * What instance type and preference make of a VM that is off, as KubeVirt's `expand-spec` says; of one that runs, its VMI says it. A
 * generation of the VM is asked for once.
 */
export class ExpandedVm {
  readonly #options: ExpandedVmOptions;
  #asked: { version: string; at: number } | undefined;
  #expanded: { version: string; vm: VirtualMachine } | undefined;

  constructor(options: ExpandedVmOptions) {
    this.#options = options;
  }

  /** The same, with the expanded VM while no VMI is there and as far as it is known. */
  in(pair: MachinePair): MachinePair {
    const { vm, vmi } = pair;
    if (vm === undefined || vmi !== undefined || this.#expanded?.version !== versionOf(vm)) return pair;
    const { preference: _applied, ...spec } = vm.spec;
    return { vm: { ...vm, spec: { ...spec, template: this.#expanded.vm.spec.template } }, vmi };
  }

  /** Asks KubeVirt where that has not been done. Never rejects: a VM that cannot be expanded is tried again, at a later call. */
  async follow({ vm, vmi }: MachinePair): Promise<void> {
    if (vm === undefined || vmi !== undefined) return;
    if (vm.spec.instancetype === undefined && vm.spec.preference === undefined) return;
    const version = versionOf(vm);
    const { client, machine, now, logger } = this.#options;
    if (this.#expanded?.version === version) return;
    if (this.#asked?.version === version && now() < this.#asked.at + RETRY_AFTER) return;
    this.#asked = { version, at: now() };
    try {
      const path = objectPath({ ...VIRTUAL_MACHINES, group: 'subresources.kubevirt.io' }, machine, 'expand-spec');
      const expanded = (await client.request({ method: 'GET', path })) as VirtualMachine; // KubeVirt's own answer
      this.#expanded = { version, vm: expanded };
    } catch (error) {
      logger.warn(
        { err: error },
        'KubeVirt does not say what the instance type of the VM makes of it; trying again later',
      );
    }
  }
}

function versionOf({ metadata }: VirtualMachine): string {
  return `${metadata.uid ?? ''} ${metadata.generation ?? 0}`;
}
