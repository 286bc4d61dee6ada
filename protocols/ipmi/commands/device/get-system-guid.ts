import { NET_FN } from '../../message/net-fn.ts';
import type { PublicCommand } from '../command.ts';

/** Get System GUID, IPMI 2.0 §22.14: the GUID of RAKP 2; also available before log-in. */
export const getSystemGuid: PublicCommand = {
  name: 'Get System GUID',
  netFn: NET_FN.app,
  command: 0x37,
  privilege: 'None',
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) => bmc.guid(),
};
