import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import { PAYLOAD_SIZE } from '../../sol/index.ts';
import type { SessionCommand } from '../command.ts';
import { INSTANCE, instanceOf, PAYLOAD_COMPLETION, requireSol } from './payload.ts';
import { mayHaveSol } from './sol-access.ts';

/** Bits of the first auxiliary byte: request encryption and authentication. */
const ENCRYPTED_AND_SIGNED = 0xc0;
const NO_VLAN = 0xffff;

/**
 * Activate Payload, IPMI 2.0 §24.1: connects the session to the machine's serial line. It fails if another session has it; that must
 * be deactivated first.
 */
export const activatePayload: SessionCommand = {
  name: 'Activate Payload',
  netFn: NET_FN.app,
  command: 0x48,
  // Parameter 2 of the SOL configuration sets the required level.
  privilege: PRIVILEGE.user,
  requestLength: [6, 6],
  repeatable: false,
  handle: async (request, { bmc, session }) => {
    requireSol(request.readUInt8(0));
    const { sol } = bmc;
    if (sol === undefined || !mayHaveSol(bmc, session.account.id)) {
      throw new CompletionError(PAYLOAD_COMPLETION.disabled, 'serial over LAN is off, or off for this user');
    }
    if (session.privilege < bmc.solConfiguration.parameters.privilege) {
      throw new CompletionError(COMPLETION.insufficientPrivilege, 'serial over LAN takes a higher privilege level');
    }
    if (instanceOf(request.readUInt8(1)) !== INSTANCE) {
      throw new CompletionError(PAYLOAD_COMPLETION.limitReached, 'there is one instance, number 1');
    }
    if (!session.isRmcpPlus || (request.readUInt8(2) & ENCRYPTED_AND_SIGNED) !== ENCRYPTED_AND_SIGNED) {
      throw new CompletionError(PAYLOAD_COMPLETION.notWithoutEncryption, 'it is encrypted and signed always');
    }
    if (sol.owner !== undefined) {
      throw new CompletionError(PAYLOAD_COMPLETION.occupied, `${sol.owner.user} has it`);
    }
    await sol.activate(session);
    return encodeActivation(bmc.payloadPort());
  },
};

function encodeActivation(port: number): Buffer {
  const data = Buffer.alloc(12);
  data.writeUInt16LE(PAYLOAD_SIZE, 4);
  data.writeUInt16LE(PAYLOAD_SIZE, 6);
  data.writeUInt16LE(port, 8);
  data.writeUInt16LE(NO_VLAN, 10);
  return data;
}
