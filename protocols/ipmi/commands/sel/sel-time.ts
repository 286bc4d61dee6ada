import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import { uint32 } from '../../message/integers.ts';
import type { SessionCommand } from '../command.ts';
import { SelView } from './sel-view.ts';

/** Get SEL Time, IPMI 2.0 §31.10: seconds since 1970. */
export const getSelTime: SessionCommand = {
  name: 'Get SEL Time',
  netFn: NET_FN.storage,
  command: 0x48,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) => {
    return uint32(new SelView(bmc).now);
  },
};

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
  },
};

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

/** Set SEL Time UTC Offset, IPMI 2.0 §31.11b. It is information for clients and changes no time. */
export const setSelTimeUtcOffset: SessionCommand = {
  name: 'Set SEL Time UTC Offset',
  netFn: NET_FN.storage,
  command: 0x5d,
  privilege: PRIVILEGE.operator,
  requestLength: [2, 2],
  repeatable: false,
  handle: async (request, { bmc }) => {
    const minutes = request.readInt16LE(0);
    if (Math.abs(minutes) > LARGEST_OFFSET && minutes !== UNSPECIFIED_OFFSET) {
      throw new CompletionError(COMPLETION.outOfRange, `${minutes} minutes from UTC`);
    }
    const utcOffset = minutes === UNSPECIFIED_OFFSET ? null : minutes;
    await bmc.settings.change(({ sel }) => ({ sel: { ...sel, utcOffset } }));
  },
};

/** Value for an unspecified offset. */
const UNSPECIFIED_OFFSET = 0x07ff;
/** Maximum offset in minutes, positive or negative. */
const LARGEST_OFFSET = 1440;
