import { COMPLETION, CompletionError, NET_FN, OEM_PRIVILEGE } from '../../message/codes.ts';
import type { PublicCommand } from '../command.ts';
import { LAN_CHANNEL, requireLanChannel } from '../channel/channel.ts';

const EXTENDED_DATA = 0x80;
const KG_IS_SET = 0x20;
/** Log-in status: named users only; no null user and no anonymous log-in. */
const NAMED_USERS_ENABLED = 0x04;
const SUPPORTS_IPMI_20 = 0x02;
const SUPPORTS_IPMI_15 = 0x01;
/** Bit of the only authentication type for IPMI 1.5 sessions; all their messages are authenticated. */
const MD5 = 0x04;
const RESPONSE_LENGTH = 8;

/**
 * Get Channel Authentication Capabilities, IPMI 2.0 §22.13: the first packet of every client. A request for extended data (bit 7 of
 * the channel) gets the IPMI 2.0 capabilities. Otherwise the response lists the IPMI 1.5 authentication types: MD5 if such sessions
 * are enabled and no K_G is set, which IPMI 1.5 does not support; else none.
 */
export const getChannelAuthenticationCapabilities: PublicCommand = {
  name: 'Get Channel Authentication Capabilities',
  netFn: NET_FN.app,
  command: 0x38,
  privilege: 'None',
  requestLength: [2, 2],
  repeatable: true,
  handle: (request, { bmc }) => {
    const channel = request.readUInt8(0);
    requireLanChannel(channel);
    const privilege = request.readUInt8(1) & 0x0f;
    if (privilege > OEM_PRIVILEGE) {
      throw new CompletionError(COMPLETION.invalidField, `privilege level ${privilege} does not exist`);
    }
    const hasBmcKey = bmc.hasBmcKey();
    const isExtended = (channel & EXTENDED_DATA) !== 0;
    const hasIpmi15 = bmc.login15 !== undefined && !hasBmcKey;
    const data = Buffer.alloc(RESPONSE_LENGTH);
    data.writeUInt8(LAN_CHANNEL, 0);
    data.writeUInt8((isExtended ? EXTENDED_DATA : 0) | (hasIpmi15 ? MD5 : 0), 1);
    data.writeUInt8(NAMED_USERS_ENABLED | (isExtended && hasBmcKey ? KG_IS_SET : 0), 2);
    data.writeUInt8(isExtended ? SUPPORTS_IPMI_20 | (hasIpmi15 ? SUPPORTS_IPMI_15 : 0) : 0, 3);
    return data;
  },
};
