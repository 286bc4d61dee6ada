import type { PowerAction } from '../../../machine/index.ts';
import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';

/** Actions by number: power down, power up, power cycle, hard reset, diagnostic interrupt, soft shutdown. */
const ACTIONS: readonly PowerAction[] = [
  'ForceOff',
  'On',
  'PowerCycle',
  'ForceRestart',
  'DiagnosticInterrupt',
  'GracefulShutdown',
];

/** Chassis Control, IPMI 2.0 §28.3. Answers when the machine has accepted the action, not when it is complete. */
export const chassisControl: SessionCommand = {
  name: 'Chassis Control',
  netFn: NET_FN.chassis,
  command: 0x02,
  privilege: PRIVILEGE.operator,
  requestLength: [1, 1],
  repeatable: false,
  handle: async (request, { bmc, requester }) => {
    await bmc.machine.power(decodePowerAction(request), requester);
  },
};

/** @throws CompletionError 0xCC for an undefined number */
function decodePowerAction(request: Buffer): PowerAction {
  const number = request.readUInt8(0) & 0x0f;
  const action = ACTIONS[number];
  if (action === undefined) throw new CompletionError(COMPLETION.invalidField, `chassis control ${number}`);
  return action;
}
