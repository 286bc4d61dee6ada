import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import { requireLanChannel } from '../channel/channel.ts';
import type { SessionCommand } from '../command.ts';

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
