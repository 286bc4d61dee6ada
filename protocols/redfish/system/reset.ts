import type { Machine, PowerAction, PowerState } from '../../machine/index.ts';
import type { Json } from '../json.ts';
import { base, type Message } from '../messages.ts';
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
  'Suspend',
  'Resume',
] as const;

const ABSENT = {
  Nmi: 'The hypervisor cannot send a non-maskable interrupt to this machine.',
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
      return wanted === 'Suspend' ? { messages: [IN_MEMORY] } : undefined;
    },
  };
}

/** Redfish's Suspend also powers off (Resource.v1_13_0). The hypervisor cannot write the memory to a disk. */
const IN_MEMORY: Message = {
  ...base('Success'),
  Resolution:
    'The machine is paused: its memory stays in the memory of its host and is lost with it. Resume or On continue it.',
};

/** The rules accept these values only. */
function resetTypeOf(wanted: Json | undefined): ResetType {
  const type = RESET_TYPES.find((known) => known === wanted);
  if (type === undefined) throw new TypeError('the ResetType is not in the list of its rule');
  return type;
}

/**
 * Every restart of a machine that is off powers it on: clients restart without a check of the state and then wait until it is on.
 * On and ForceOn continue a paused machine, which Suspend may have paused.
 */
function powerActionOf(type: ResetType, state: PowerState): PowerAction {
  switch (type) {
    case 'On':
    case 'ForceOn':
      return state === 'Paused' ? 'Resume' : 'On';
    case 'Suspend':
      return 'Pause';
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
