import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { refreshed } from '../refreshed.ts';

const MINUTES_PER_COUNT = 1;

/** Get POH Counter, IPMI 2.0 §28.14: minutes per count, and a 32-bit count. */
export const getPohCounter: SessionCommand = {
  name: 'Get POH Counter',
  netFn: NET_FN.chassis,
  command: 0x0f,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) =>
    refreshed(bmc.machine, () => {
      const data = Buffer.of(MINUTES_PER_COUNT, 0, 0, 0, 0);
      data.writeUInt32LE(Math.min(bmc.powerOnCounter.minutes(), 0xffff_ffff), 1);
      return data;
    }),
};
