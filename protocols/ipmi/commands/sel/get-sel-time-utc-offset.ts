import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { UNSPECIFIED_OFFSET } from './utc-offset.ts';

/** Get SEL Time UTC Offset, IPMI 2.0 §31.11a: minutes; the BMC's clock is in UTC. */
export const getSelTimeUtcOffset: SessionCommand = {
  name: 'Get SEL Time UTC Offset',
  netFn: NET_FN.storage,
  command: 0x5c,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) => {
    const { utcOffset = 0 } = bmc.settings.current().sel ?? {};
    const data = Buffer.alloc(2);
    data.writeInt16LE(utcOffset ?? UNSPECIFIED_OFFSET, 0);
    return data;
  },
};
