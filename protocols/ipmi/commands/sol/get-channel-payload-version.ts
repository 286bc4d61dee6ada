import { CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import { PAYLOAD_TYPE } from '../../rmcpplus/payload-type.ts';
import { requireLanChannel } from '../channel/channel.ts';
import type { SessionCommand } from '../command.ts';
import { PAYLOAD_COMPLETION, payloadTypeOf } from './payload.ts';

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
      throw new CompletionError(PAYLOAD_COMPLETION.unavailable, `payload type ${type} is not served`);
    }
    return Buffer.of(VERSION);
  },
};
