import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';

/** Get Device GUID, IPMI 2.0 §20.8: that of the BMC itself, as Get System GUID is that of the machine. */
export const getDeviceGuid: SessionCommand = {
  name: 'Get Device GUID',
  netFn: NET_FN.app,
  command: 0x08,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) => bmc.deviceGuid(),
};
