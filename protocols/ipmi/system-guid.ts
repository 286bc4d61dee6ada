const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const GUID_LENGTH = 16;

/**
 * A UUID as Get System GUID and RAKP 2 carry it: least significant byte first, IPMI 2.0 §20.8. ipmitool warns of servers
 * that send it in the order of SMBIOS, and FreeIPMI shows another UUID for them. All zero where there is no UUID, or none
 * that can be read.
 */
export function systemGuid(uuid: string | undefined): Buffer {
  if (uuid === undefined || !UUID.test(uuid)) return Buffer.alloc(GUID_LENGTH);
  return Buffer.from(uuid.replaceAll('-', ''), 'hex').reverse();
}
