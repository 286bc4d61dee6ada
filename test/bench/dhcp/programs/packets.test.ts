import { describe, expect, it } from 'vitest';
import {
  BOOT_REPLY,
  decodeMessage,
  encodeMessage,
  MESSAGE_TYPE,
  OPTION,
  optionOf,
} from '../../../../protocols/dhcp/index.ts';
import { addressNumber, macNumber } from '../addresses.ts';
import { answerType, AT, template } from './packets.ts';

describe('a template', () => {
  it.each(['discover', 'request'] as const)('of a %s has the client and transaction at their offsets', (type) => {
    const datagram = template(type);
    datagram.writeUInt32BE(77, AT.xid);
    datagram.writeUIntBE(macNumber(3), AT.chaddr, 6);
    const message = decodeMessage(datagram);
    expect(message).toMatchObject({ xid: 77, macAddress: macNumber(3), giaddr: 0x0a4d0002 });
    expect(optionOf(message, OPTION.messageType)).toEqual(Buffer.of(MESSAGE_TYPE[type]));
  });

  it('of a REQUEST has the requested address at its offset', () => {
    const datagram = template('request');
    datagram.writeUInt32BE(addressNumber(3), AT.requestedAddress);
    expect(optionOf(decodeMessage(datagram), OPTION.requestedAddress)).toEqual(Buffer.of(10, 77, 1, 3));
  });
});

describe('the type of an answer', () => {
  it('is found at any position', () => {
    const options = [
      { code: OPTION.subnetMask, value: Buffer.of(255, 255, 0, 0) },
      { code: OPTION.messageType, value: Buffer.of(MESSAGE_TYPE.ack) },
    ];
    expect(answerType(encodeMessage({ op: BOOT_REPLY, macAddress: 1, options }))).toBe(MESSAGE_TYPE.ack);
  });

  it('is 0 if absent', () => {
    expect(answerType(encodeMessage({ op: BOOT_REPLY, macAddress: 1, options: [] }))).toBe(0);
    expect(answerType(Buffer.alloc(10))).toBe(0);
  });
});
