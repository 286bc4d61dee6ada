import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';

/** Set SEL Time, IPMI 2.0 §31.11. The BMC uses its node's clock; the difference is stored and applied to all times of the event log. */
export const setSelTime: SessionCommand = {
  name: 'Set SEL Time',
  netFn: NET_FN.storage,
  command: 0x49,
  privilege: PRIVILEGE.operator,
  requestLength: [4, 4],
  repeatable: false,
  handle: async (request, { bmc }) => {
    const clockOffset = request.readUInt32LE(0) - Math.floor(bmc.time() / 1000);
    await bmc.settings.change(({ sel }) => ({ sel: { ...sel, clockOffset } }));
    return Buffer.alloc(0);
  },
};
