import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';
import { LAN_CHANNEL, requireLanChannel } from './channel.ts';

const MEDIUM_802_3_LAN = 0x04;
const PROTOCOL_IPMB = 0x01;
/** Bits 7:6 of the session byte; bits 5:0 count the active sessions. */
const MULTI_SESSION = 0x80;
/** Enterprise number of the IPMI forum, 7154, in 3 bytes: the protocol is defined by the specification. */
const IPMI_FORUM = 7154;

/** Get Channel Info, IPMI 2.0 §22.24. bmc-info queries all channels and prints errors for those without an answer. */
export const getChannelInfo: SessionCommand = {
  name: 'Get Channel Info',
  netFn: NET_FN.app,
  command: 0x42,
  privilege: PRIVILEGE.user,
  requestLength: [1, 1],
  repeatable: true,
  handle: (request, { bmc }) => {
    requireLanChannel(request.readUInt8(0));
    return encodeChannelInfo(bmc.sessions.activeCount);
  },
};

function encodeChannelInfo(activeSessions: number): Buffer {
  const data = Buffer.alloc(9);
  data.writeUInt8(LAN_CHANNEL, 0);
  data.writeUInt8(MEDIUM_802_3_LAN, 1);
  data.writeUInt8(PROTOCOL_IPMB, 2);
  data.writeUInt8(MULTI_SESSION | activeSessions, 3);
  data.writeUIntLE(IPMI_FORUM, 4, 3);
  return data;
}

/** Get System Interface Capabilities, IPMI 2.0 §22.9: a VM has no system interface to its BMC. */
export const getSystemInterfaceCapabilities: SessionCommand = {
  name: 'Get System Interface Capabilities',
  netFn: NET_FN.app,
  command: 0x57,
  privilege: PRIVILEGE.user,
  requestLength: [1, 1],
  repeatable: true,
  handle: () => {
    throw new CompletionError(COMPLETION.invalidField, 'there is no system interface');
  },
};
