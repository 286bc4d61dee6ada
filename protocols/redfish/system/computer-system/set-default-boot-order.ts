import type { Machine } from '../../../machine/index.ts';
import type { Action } from '../../resource.ts';

/** Restores the platform's default boot order. */
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
