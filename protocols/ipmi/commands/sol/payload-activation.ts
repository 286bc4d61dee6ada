import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import { PAYLOAD_SIZE } from '../../sol/serial-over-lan.ts';
import type { SessionCommand } from '../command.ts';
import { INSTANCE, instanceOf, mayHaveSol, PAYLOAD_COMPLETION, requireSol } from './payload.ts';

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
      throw new CompletionError(
        PAYLOAD_COMPLETION.disabled,
        'serial over LAN is disabled for the BMC or for this user',
      );
    }
    if (session.privilege < bmc.solConfiguration.parameters.privilege) {
      throw new CompletionError(COMPLETION.insufficientPrivilege, 'serial over LAN requires a higher privilege level');
    }
    if (instanceOf(request.readUInt8(1)) !== INSTANCE) {
      throw new CompletionError(PAYLOAD_COMPLETION.limitReached, 'the only instance is 1');
    }
    if (!session.isRmcpPlus || (request.readUInt8(2) & ENCRYPTED_AND_SIGNED) !== ENCRYPTED_AND_SIGNED) {
      throw new CompletionError(
        PAYLOAD_COMPLETION.notWithoutEncryption,
        'serial over LAN requires encryption and authentication',
      );
    }
    if (sol.owner !== undefined) {
      throw new CompletionError(PAYLOAD_COMPLETION.occupied, `serial over LAN is in use by ${sol.owner.user}`);
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

/**
 * Deactivate Payload, IPMI 2.0 §24.2. Operators may end another session's payload, with a notice to its client. ipmitool, bmclib and
 * Ironic rely on 0x80 if it is not active.
 */
export const deactivatePayload: SessionCommand = {
  name: 'Deactivate Payload',
  netFn: NET_FN.app,
  command: 0x49,
  privilege: PRIVILEGE.user,
  requestLength: [6, 6],
  repeatable: false,
  handle: (request, { bmc: { sol }, session }) => {
    requireSol(request.readUInt8(0));
    if (sol?.owner === undefined || instanceOf(request.readUInt8(1)) !== INSTANCE) {
      throw new CompletionError(PAYLOAD_COMPLETION.inactive, 'serial over LAN is not active');
    }
    if (sol.owner !== session && session.privilege < PRIVILEGE.operator) {
      throw new CompletionError(
        COMPLETION.insufficientPrivilege,
        'another session has activated it: deactivating it needs Operator',
      );
    }
    sol.deactivate(session);
  },
};

const SUSPEND = 0;
const RESUME = 1;
const REGENERATE_VECTOR = 2;
const NOT_ALLOWED = 0x81;
const NOT_ACTIVE = 0x83;

/** Suspend/Resume Payload Encryption, IPMI 2.0 §24.3. Encryption cannot be suspended, and each packet has its own initialization vector. */
export const suspendResumePayloadEncryption: SessionCommand = {
  name: 'Suspend/Resume Payload Encryption',
  netFn: NET_FN.app,
  command: 0x55,
  privilege: PRIVILEGE.user,
  requestLength: [3, 3],
  repeatable: true,
  handle: (request, { bmc: { sol }, session }) => {
    requireSol(request.readUInt8(0));
    if (sol?.owner !== session || instanceOf(request.readUInt8(1)) !== INSTANCE) {
      throw new CompletionError(NOT_ACTIVE, 'this session has not activated it');
    }
    switch (request.readUInt8(2) & 0x1f) {
      case SUSPEND:
        throw new CompletionError(NOT_ALLOWED, 'encryption cannot be suspended');
      case RESUME:
      case REGENERATE_VECTOR:
        return;
      default:
        throw new CompletionError(COMPLETION.invalidField, 'no such operation');
    }
  },
};
