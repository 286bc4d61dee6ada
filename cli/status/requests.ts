import { LABELS } from '../../api/index.ts';
import type { Inputs } from './inputs.ts';
import type { Problem } from './overview.ts';

/** Virtual machines that request a BMC and have none. What is wrong with a BMC is listed there. */
export function requestProblems({ virtualMachines, bmcs }: Inputs): Problem[] {
  const failed = virtualMachines.filter(({ metadata }) => metadata.labels?.[LABELS.bmcState] === 'Failed');
  if (failed.length === 0) return [];
  const served = new Set(
    bmcs.map(({ metadata, spec }) => `${metadata.namespace ?? ''}/${spec.virtualMachineRef.name}`),
  );
  return failed.flatMap(({ metadata: { namespace = '', name } }) =>
    served.has(`${namespace}/${name}`)
      ? []
      : {
          ...{ kind: 'VirtualMachine', namespace, name, reason: 'BMCNotCreated' },
          what: 'It requests a BMC, and none could be made.',
          todo: `An Event says why: kubectl events -n ${namespace} --for vm/${name}`,
        },
  );
}
