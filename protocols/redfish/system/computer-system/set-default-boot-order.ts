import type { Machine } from '../../../machine/index.ts';
import type { Action } from '../../resource.ts';

/** The boot order is as the platform makes it. */
export function setDefaultBootOrder(machine: Machine): Action {
  return {
    name: 'ComputerSystem.SetDefaultBootOrder',
    rules: { kind: 'object', properties: {} },
    run: async (_parameters, { requester }) => {
      await machine.setBootOrder([], requester);
      return undefined;
    },
  };
}
