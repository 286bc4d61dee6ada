const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const GUID_LENGTH = 16;

/**
 * A UUID in the encoding of Get System GUID and RAKP 2: least significant byte first, IPMI 2.0 §20.8. With the byte order of SMBIOS,
 * ipmitool prints a warning and FreeIPMI another UUID. All zero if the UUID is missing or invalid.
 */
export function systemGuid(uuid: string | undefined): Buffer {
  if (uuid === undefined || !UUID.test(uuid)) return Buffer.alloc(GUID_LENGTH);
  return Buffer.from(uuid.replaceAll('-', ''), 'hex').reverse();
}
