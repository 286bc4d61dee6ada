import type { Hardware } from '../../../protocols/machine/index.ts';
import type { MachinePair } from '../machine/index.ts';

/** What a VM is made of, from its own metadata and from what its VMI says. */
export function hardwareOf({ vm, vmi }: MachinePair): Hardware {
  const { serial } = { ...vmi?.spec.domain.firmware, ...vm?.spec.template.spec.domain.firmware };
  return { manufacturer: 'KubeVirt', networkInterfaces: [], ...(serial === undefined ? {} : { serial }) };
}
