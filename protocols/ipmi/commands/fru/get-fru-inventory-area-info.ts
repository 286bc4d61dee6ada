import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { fruOf } from './fru-of.ts';

const ACCESSED_BY_BYTES = 0x00;

/** Get FRU Inventory Area Info, IPMI 2.0 §34.1: the length of the inventory. */
export const getFruInventoryAreaInfo: SessionCommand = {
  name: 'Get FRU Inventory Area Info',
  netFn: NET_FN.storage,
  command: 0x10,
  privilege: PRIVILEGE.user,
  requestLength: [1, 1],
  repeatable: true,
  handle: (request, { bmc }) => {
    const { length } = fruOf(bmc, request.readUInt8(0));
    return Buffer.of(length & 0xff, length >> 8, ACCESSED_BY_BYTES);
  },
};
