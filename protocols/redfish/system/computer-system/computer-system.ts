import type { RedfishContext } from '../../context.ts';
import type { Resource } from '../../resource.ts';
import { describeSystem } from './describe-system.ts';
import { patchSystem } from './patch-system.ts';
import { reset } from './reset.ts';
import { setDefaultBootOrder } from './set-default-boot-order.ts';

/** The machine. Reading it throws MachineError `Unavailable` while the power state is not known. */
export function computerSystem({ options }: RedfishContext): Resource {
  return {
    type: 'ComputerSystem.v1_27_0.ComputerSystem',
    read: async () => {
      await options.machine.refresh();
      return describeSystem(options);
    },
    patch: patchSystem(options),
    actions: [reset(options.machine), setDefaultBootOrder(options.machine)],
  };
}
