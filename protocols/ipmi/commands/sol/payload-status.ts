import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';
import { INSTANCE, instanceOf, requireSol } from './payload.ts';

/** Get Payload Activation Status, IPMI 2.0 §24.4: number of instances, and one bit per active instance. */
export const getPayloadActivationStatus: SessionCommand = {
  name: 'Get Payload Activation Status',
  netFn: NET_FN.app,
  command: 0x4a,
  privilege: PRIVILEGE.user,
  requestLength: [1, 1],
  repeatable: true,
  handle: (request, { bmc: { sol } }) => {
    requireSol(request.readUInt8(0));
    return Buffer.of(INSTANCE, sol?.owner === undefined ? 0 : 1, 0);
  },
};

/** Session ID and 8 payload-specific bytes: for SOL the serial port number, from 1. */
const LENGTH = 12;
const SERIAL_PORT = 1;

/** Get Payload Instance Info, IPMI 2.0 §24.5: the owning session. pyghmi checks every 30 s whether it still has the console. */
export const getPayloadInstanceInfo: SessionCommand = {
  name: 'Get Payload Instance Info',
  netFn: NET_FN.app,
  command: 0x4b,
  privilege: PRIVILEGE.user,
  requestLength: [2, 2],
  repeatable: true,
  handle: (request, { bmc: { sol } }) => {
    requireSol(request.readUInt8(0));
    if (instanceOf(request.readUInt8(1)) !== INSTANCE) {
      throw new CompletionError(COMPLETION.invalidField, 'the only instance is 1');
    }
    const data = Buffer.alloc(LENGTH);
    data.writeUInt32LE(sol?.owner?.id ?? 0, 0);
    data.writeUInt8(SERIAL_PORT, 4);
    return data;
  },
};
