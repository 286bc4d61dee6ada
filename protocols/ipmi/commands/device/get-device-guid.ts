import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';

/** Get Device GUID, IPMI 2.0 §20.8: the GUID of the BMC; Get System GUID returns the machine's. */
export const getDeviceGuid: SessionCommand = {
  name: 'Get Device GUID',
  netFn: NET_FN.app,
  command: 0x08,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) => bmc.deviceGuid(),
};
