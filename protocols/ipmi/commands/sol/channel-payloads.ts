import { CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import { PAYLOAD_TYPE } from '../../rmcpplus/packet.ts';
import { requireLanChannel } from '../channel/channel.ts';
import type { SessionCommand } from '../command.ts';
import { PAYLOAD_COMPLETION, payloadTypeOf } from './payload.ts';

const IPMI_MESSAGE = 0x01;
const SOL = 0x02;
/** Types 0x10 to 0x15, Open Session Request to RAKP 4. */
const SESSION_SETUP = 0x3f;

/** Get Channel Payload Support, IPMI 2.0 §24.8. ipmiconsole queries channel 0xE, which crashes other BMCs. */
export const getChannelPayloadSupport: SessionCommand = {
  name: 'Get Channel Payload Support',
  netFn: NET_FN.app,
  command: 0x4e,
  privilege: PRIVILEGE.user,
  requestLength: [1, 1],
  repeatable: true,
  handle: (request, { bmc: { sol } }) => {
    requireLanChannel(request.readUInt8(0));
    const standard = IPMI_MESSAGE | (sol === undefined ? 0 : SOL);
    return Buffer.of(standard, 0, SESSION_SETUP, 0, 0, 0, 0, 0);
  },
};

/** Version 1.0, one digit per half byte. */
const VERSION = 0x10;
const OEM = PAYLOAD_TYPE.oem;

/** Get Channel Payload Version, IPMI 2.0 §24.9. */
export const getChannelPayloadVersion: SessionCommand = {
  name: 'Get Channel Payload Version',
  netFn: NET_FN.app,
  command: 0x4f,
  privilege: PRIVILEGE.user,
  requestLength: [2, 2],
  repeatable: true,
  handle: (request, { bmc: { sol } }) => {
    requireLanChannel(request.readUInt8(0));
    const type = payloadTypeOf(request.readUInt8(1));
    const isServed = type !== OEM && Object.values<number>(PAYLOAD_TYPE).includes(type);
    if (!isServed || (type === PAYLOAD_TYPE.sol && sol === undefined)) {
      throw new CompletionError(PAYLOAD_COMPLETION.unavailable, `payload type ${type} is not supported`);
    }
    return Buffer.of(VERSION);
  },
};
