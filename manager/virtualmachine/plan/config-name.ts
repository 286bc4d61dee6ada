import { createHash } from 'node:crypto';
import type { VirtualMachine, VirtualMachineNetworkConfig } from '../../../api/index.ts';
import { standingOf } from './standing.ts';

/** Longest name of an object. */
const NAME_LENGTH = 253;

/**
 * The name of the config that is to be made for a VM: the VM's own, or, where a person's config has that,
 * `<vm>-<hash8>`. Undefined while one that is ours to make has the name and is about to go.
 */
export function configName(vm: VirtualMachine, configs: readonly VirtualMachineNetworkConfig[]): string | undefined {
  const { name, uid = '' } = vm.metadata;
  const holder = configs.find(({ metadata }) => metadata.name === name);
  if (holder === undefined) return name;
  if (standingOf(holder, vm) !== 'Theirs') return undefined;
  const hash = createHash('sha256').update(uid).digest('hex').slice(0, 8);
  return `${name.slice(0, NAME_LENGTH - 9).replace(/[^a-z0-9]+$/, '')}-${hash}`;
}
