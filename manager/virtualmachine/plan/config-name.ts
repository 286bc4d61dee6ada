import { createHash } from 'node:crypto';
import type { VirtualMachine, VirtualMachineNetworkConfig } from '../../../api/index.ts';
import { standingOf } from './standing.ts';

/** Maximum length of an object name. */
const NAME_LENGTH = 253;

/**
 * The name of the config for a VM: the VM's name, or `<vm>-<hash8>` if a user's config has that name. Undefined while
 * an obsolete config of the manager has the name.
 */
export function configName(vm: VirtualMachine, configs: readonly VirtualMachineNetworkConfig[]): string | undefined {
  const { name, uid = '' } = vm.metadata;
  const holder = configs.find(({ metadata }) => metadata.name === name);
  if (holder === undefined) return name;
  if (standingOf(holder, vm) !== 'Theirs') return undefined;
  const hash = createHash('sha256').update(uid).digest('hex').slice(0, 8);
  return `${name.slice(0, NAME_LENGTH - 9).replace(/[^a-z0-9]+$/, '')}-${hash}`;
}
