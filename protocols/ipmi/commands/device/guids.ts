import { NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { PublicCommand, SessionCommand } from '../command.ts';

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

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const GUID_LENGTH = 16;

/**
 * A UUID in the encoding of Get System GUID and RAKP 2: least significant byte first, IPMI 2.0 §20.8. With the byte order of SMBIOS,
 * ipmitool prints a warning and FreeIPMI another UUID. All zero if the UUID is missing or invalid. In memory of its own: a part of
 * Node's buffer pool would keep all 64 kB of it.
 */
export function systemGuid(uuid: string | undefined): Buffer {
  const guid = Buffer.alloc(GUID_LENGTH);
  if (uuid !== undefined && UUID.test(uuid)) guid.write(uuid.replaceAll('-', ''), 'hex');
  return guid.reverse();
}
