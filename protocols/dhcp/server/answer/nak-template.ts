import { writeU32 } from '../../codec/bytes.ts';
import { BOOT_REPLY, FIELD, MAGIC_COOKIE } from '../../codec/header.ts';
import { MESSAGE_TYPE } from '../../codec/message-type.ts';
import { writeOption } from '../../codec/write-option.ts';
import type { Ipv4 } from '../../lease.ts';
import { encodeAddresses } from '../../options/addresses.ts';
import { encodeU8 } from '../../options/numbers.ts';
import { OPTION } from '../../options/option-code.ts';
import { encodeText } from '../../options/text.ts';

/** A NAK without the fields of its request and without the end option. @param reason option 56, at most 100 bytes */
export function nakTemplate(server: Ipv4, reason: string): Uint8Array {
  const bytes = new Uint8Array(FIELD.options + 3 + 6 + 2 + Buffer.byteLength(reason));
  bytes[FIELD.op] = BOOT_REPLY;
  writeU32(bytes, MAGIC_COOKIE, FIELD.cookie);
  let at = writeOption(bytes, OPTION.messageType, encodeU8(MESSAGE_TYPE.nak), FIELD.options);
  at = writeOption(bytes, OPTION.serverIdentifier, encodeAddresses([server]), at);
  writeOption(bytes, OPTION.message, encodeText(reason), at);
  return bytes;
}
