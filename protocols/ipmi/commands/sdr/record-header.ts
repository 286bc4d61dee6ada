import { encodeText } from '../type-length.ts';

/** SDR version of IPMI 1.5 and 2.0, in binary coded decimal with the digits swapped. */
export const SDR_VERSION = 0x51;

/** Record types, IPMI 2.0 table 43. */
export const SDR_TYPE = { full: 0x01, compact: 0x02, eventOnly: 0x03, fruLocator: 0x11, mcLocator: 0x12 } as const;

/** Bytes of ID, version, type and length in front of every record. */
export const HEADER_LENGTH = 5;
/** Bytes that the name in a record can have. */
const MAX_NAME = 16;

/** BMC that owns all sensors, IPMI 2.0 §5.5; LUN 0. */
export const OWNER = 0x20;

/** Entity that things belong to, IPMI 2.0 table 43-13. */
export const ENTITY = { systemManagementModule: 0x06, systemBoard: 0x07, systemChassis: 0x17 } as const;

/** A record of its type with `body` behind the header and the name at its end. Its ID is written when it gets its place. */
export function encodeSdr(type: number, body: Buffer, name: string): Buffer {
  const text = encodeText(name, MAX_NAME);
  const header = Buffer.of(0, 0, SDR_VERSION, type, body.length + text.length);
  return Buffer.concat([header, body, text]);
}
