import type { Machine, PowerAction, PowerState } from '../../machine/index.ts';
import type { Json } from '../json.ts';
import type { Action } from '../resource.ts';

const RESET_TYPES = [
  'On',
  'ForceOn',
  'ForceOff',
  'GracefulShutdown',
  'GracefulRestart',
  'ForceRestart',
  'PowerCycle',
  'PushPowerButton',
  'Pause',
  'Resume',
] as const;

const ABSENT = {
  Nmi: 'The hypervisor cannot send a non-maskable interrupt to this machine.',
  Suspend: 'The hypervisor cannot suspend this machine. Use Pause to stop its processors.',
} as const;

type ResetType = (typeof RESET_TYPES)[number];

/** `ComputerSystem.Reset` completes when the machine accepts it; `PowerState` shows the progress. */
export function reset(machine: Machine): Action {
  return {
    name: 'ComputerSystem.Reset',
    rules: {
      kind: 'object',
      properties: { ResetType: { kind: 'word', words: RESET_TYPES, absent: ABSENT, isRequired: true } },
    },
    run: async ({ ResetType: wanted }, { requester }) => {
      await machine.refresh();
      await machine.power(powerActionOf(resetTypeOf(wanted), machine.powerState()), requester);
      return undefined;
    },
  };
}

/** The rules accept these values only. */
function resetTypeOf(wanted: Json | undefined): ResetType {
  const type = RESET_TYPES.find((known) => known === wanted);
  if (type === undefined) throw new TypeError('the ResetType is not in the list of its rule');
  return type;
}

/** Every restart of a machine that is off powers it on: clients restart without a check of the state and then wait until it is on. */
function powerActionOf(type: ResetType, state: PowerState): PowerAction {
  switch (type) {
    case 'ForceOn':
      return 'On';
    case 'GracefulRestart':
    case 'ForceRestart':
    case 'PowerCycle':
      return state === 'Off' ? 'On' : type;
    case 'PushPowerButton':
      return state === 'Off' ? 'On' : 'GracefulShutdown';
    default:
      return type;
  }
}

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
