import type { RestorePolicy } from '../../../protocols/machine/index.ts';
import type { MachinePair } from './machine-objects.ts';

/**
 * What KubeVirt does with a VM when its cluster comes up after an outage, which is the owner's to choose with the run strategy.
 * One that was `Always` and is powered off is `Halted` from then on.
 */
export function restorePolicyOf({ vm }: MachinePair): RestorePolicy | undefined {
  if (vm === undefined) return undefined;
  switch (vm.spec.runStrategy ?? (vm.spec.running === true ? 'Always' : 'Halted')) {
    case 'Always':
      return 'AlwaysOn';
    case 'RerunOnFailure':
      return 'Previous';
    case 'Halted':
    case 'Manual':
    case 'Once':
      return 'AlwaysOff';
    default:
      return undefined;
  }
}
