import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { OEM_PRIVILEGE } from '../../message/privilege.ts';
import type { PublicCommand } from '../command.ts';
import { LAN_CHANNEL, requireLanChannel } from '../channel/channel.ts';

const EXTENDED_DATA = 0x80;
const KG_IS_SET = 0x20;
/** Log-in status: accounts have names; there is neither a null user nor an anonymous one. */
const NAMED_USERS_ENABLED = 0x04;
const SUPPORTS_IPMI_20 = 0x02;
const SUPPORTS_IPMI_15 = 0x01;
/** Bit of the one authentication type that sessions of IPMI 1.5 may use; every message of theirs is authenticated. */
const MD5 = 0x04;
const RESPONSE_LENGTH = 8;

/**
 * Get Channel Authentication Capabilities, IPMI 2.0 §22.13: the first packet of every client. A client that asks for
 * extended data (bit 7 of the channel) learns that IPMI 2.0 is spoken; one that does not sees the view of IPMI 1.5, in
 * which no authentication type is enabled but MD5, where such sessions are switched on. They know no K_G, so that there are none
 * while one is set.
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
    return encodeCapabilities({
      extended: (channel & EXTENDED_DATA) !== 0,
      hasBmcKey,
      ipmi15: bmc.login15 !== undefined && !hasBmcKey,
    });
  },
};

interface Capabilities {
  extended: boolean;
  hasBmcKey: boolean;
  ipmi15: boolean;
}

function encodeCapabilities({ extended, hasBmcKey, ipmi15 }: Capabilities): Buffer {
  const data = Buffer.alloc(RESPONSE_LENGTH);
  data.writeUInt8(LAN_CHANNEL, 0);
  data.writeUInt8((extended ? EXTENDED_DATA : 0) | (ipmi15 ? MD5 : 0), 1);
  data.writeUInt8(NAMED_USERS_ENABLED | (extended && hasBmcKey ? KG_IS_SET : 0), 2);
  data.writeUInt8(extended ? SUPPORTS_IPMI_20 | (ipmi15 ? SUPPORTS_IPMI_15 : 0) : 0, 3);
  return data;
}
