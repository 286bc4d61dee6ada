import { parseIpv4 } from '../../../../api/index.ts';
import { BOOT_REQUEST, encodeMessage, encodeU32, MESSAGE_TYPE, OPTION } from '../../../../protocols/dhcp/index.ts';
import { SITE } from '../addresses.ts';

/** Offsets of the fields that differ between datagrams. */
export const AT = { xid: 4, yiaddr: 16, chaddr: 28, options: 240, requestedAddress: 245 };

const PARAMETERS = Uint8Array.of(1, 3, 6, 15, 26, 28, 51, 54);

/** A relayed datagram; transaction, client and requested address are zero. */
export function template(type: 'discover' | 'request'): Buffer {
  const address = (text: string): number => parseIpv4(text) ?? 0;
  return encodeMessage({
    op: BOOT_REQUEST,
    macAddress: 0,
    hops: 1,
    giaddr: address(SITE.relay),
    options: [
      { code: OPTION.messageType, value: Uint8Array.of(MESSAGE_TYPE[type]) },
      ...(type === 'request'
        ? [
            { code: OPTION.requestedAddress, value: encodeU32(0) },
            { code: OPTION.serverIdentifier, value: encodeU32(address(SITE.server)) },
          ]
        : []),
      { code: OPTION.parameterRequestList, value: PARAMETERS },
    ],
  });
}

/** Option 53 of an answer; 0 if absent. Does not use our decoder, which is measured. */
export function answerType(datagram: Buffer): number {
  let at = AT.options;
  while (at + 2 < datagram.length) {
    const code = datagram[at] ?? 255;
    if (code === OPTION.messageType) return datagram[at + 2] ?? 0;
    at += code === 0 ? 1 : 2 + (datagram[at + 1] ?? 0);
  }
  return 0;
}
