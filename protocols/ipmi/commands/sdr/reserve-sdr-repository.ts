import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { repositoryStamp, sdrRecords } from './sdr-repository.ts';

/** Reserve SDR Repository, IPMI 2.0 §33.11. The reservation ends when the records change, so that parts of different records are not mixed. */
export const reserveSdrRepository: SessionCommand = {
  name: 'Reserve SDR Repository',
  netFn: NET_FN.storage,
  command: 0x22,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: false,
  handle: (_request, { bmc }) => {
    const data = Buffer.alloc(2);
    data.writeUInt16LE(bmc.reservations.sdr.take(repositoryStamp(sdrRecords(bmc.machine.sensors()))), 0);
    return data;
  },
};
