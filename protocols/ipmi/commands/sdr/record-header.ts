import { encodeText } from '../type-length.ts';

/** SDR version of IPMI 1.5 and 2.0 in BCD with swapped digits. */
export const SDR_VERSION = 0x51;

/** Record types, IPMI 2.0 table 43. */
export const SDR_TYPE = { full: 0x01, compact: 0x02, eventOnly: 0x03, fruLocator: 0x11, mcLocator: 0x12 } as const;

/** Bytes of ID, version, type and length before each record. */
export const HEADER_LENGTH = 5;
/** Maximum length of a name in bytes. */
const MAX_NAME = 16;

/** The BMC, owner of all sensors, IPMI 2.0 §5.5; LUN 0. */
export const OWNER = 0x20;

/** Entity IDs, IPMI 2.0 table 43-13. */
export const ENTITY = { systemManagementModule: 0x06, systemBoard: 0x07, systemChassis: 0x17 } as const;

/** A record of a type with header, `body` and name. Its ID is written when it is added to the repository. */
export function encodeSdr(type: number, body: Buffer, name: string): Buffer {
  const text = encodeText(name, MAX_NAME);
  const header = Buffer.of(0, 0, SDR_VERSION, type, body.length + text.length);
  return Buffer.concat([header, body, text]);
}
