import { describe, expect, it } from 'vitest';
import { decodeRequest, decodeResponse, encodeRequest, encodeResponse } from './lan-message.ts';

/** Get Channel Authentication Capabilities as ipmitool sends it. */
const REQUEST = '2018c88100388e04b5';

const request = {
  responderAddress: 0x20,
  netFn: 0x06,
  responderLun: 0,
  requesterAddress: 0x81,
  requesterLun: 0,
  sequence: 0,
  command: 0x38,
  data: Buffer.from('8e04', 'hex'),
};

describe('IPMI request', () => {
  it('has addresses, network function, command, data and two checksums', () => {
    expect(decodeRequest(Buffer.from(REQUEST, 'hex'))).toEqual(request);
    expect(encodeRequest(request).toString('hex')).toBe(REQUEST);
  });

  it.each(['', '2018c8810038'])('rejects %j as too short', (hex) => {
    expect(() => decodeRequest(Buffer.from(hex, 'hex'))).toThrow(/IPMI request needs 7 bytes/);
  });

  it.each([
    ['first', '2018c98100388e04b5'],
    ['second', '2018c88100388e04b6'],
  ])('rejects a wrong %s checksum', (_name, hex) => {
    expect(() => decodeRequest(Buffer.from(hex, 'hex'))).toThrow(/checksum/);
  });

  it('rejects a response', () => {
    expect(() => decodeRequest(Buffer.from('201cc48100388e04b5', 'hex'))).toThrow(/is not a request/);
  });
});

describe('IPMI response', () => {
  it('is addressed to the requester with its LUN and sequence number', () => {
    const asked = { ...request, requesterAddress: 0x84, requesterLun: 2, sequence: 9 };
    const hex = encodeResponse(asked, 0xc1, Buffer.from('01', 'hex')).toString('hex');
    expect(hex).toBe('841e5e' + '202438c101c2');
    expect(decodeResponse(Buffer.from(hex, 'hex'))).toEqual({
      netFn: 0x07,
      sequence: 9,
      command: 0x38,
      completionCode: 0xc1,
      data: Buffer.of(0x01),
    });
  });

  it.each([0, 7])('rejects %i bytes as too short', (length) => {
    expect(() => decodeResponse(Buffer.alloc(length))).toThrow(/IPMI response needs 8 bytes/);
  });
});
