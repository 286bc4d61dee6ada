import { NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';
import { SelView } from '../sel/sel-view.ts';

const NONE = 0xffff;

/**
 * Get Last Processed Event ID, IPMI 2.0 §30.6: the last logged event, and the last ones that software and the BMC have processed. The BMC
 * itself processes none.
 */
export const getLastProcessedEventId: SessionCommand = {
  name: 'Get Last Processed Event ID',
  netFn: NET_FN.sensor,
  command: 0x15,
  privilege: PRIVILEGE.administrator,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) => {
    const { log } = bmc.machine;
    const { bySoftware = NONE, byBmc = NONE } = bmc.settings.current().pef ?? {};
    const last = log.entries().at(-1);
    const data = Buffer.alloc(10);
    data.writeUInt32LE(new SelView(bmc).stamp(log.lastAdded), 0);
    data.writeUInt16LE(last === undefined ? NONE : bmc.recordIds.idOf(last, 0), 4);
    data.writeUInt16LE(bySoftware, 6);
    data.writeUInt16LE(byBmc, 8);
    return data;
  },
};

/** Bit of the request: the ID is of the event processed by the BMC, not by software. */
const BY_BMC = 0x01;

/** Set Last Processed Event ID, IPMI 2.0 §30.5: stored for clients. */
export const setLastProcessedEventId: SessionCommand = {
  name: 'Set Last Processed Event ID',
  netFn: NET_FN.sensor,
  command: 0x14,
  privilege: PRIVILEGE.administrator,
  requestLength: [3, 3],
  repeatable: true,
  handle: async (request, { bmc }) => {
    const by = (request.readUInt8(0) & BY_BMC) === 0 ? 'bySoftware' : 'byBmc';
    const recordId = request.readUInt16LE(1);
    await bmc.settings.change(({ pef }) => ({ pef: { ...pef, [by]: recordId } }));
  },
};
