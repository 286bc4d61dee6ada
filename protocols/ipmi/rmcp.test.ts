import { describe, expect, it } from 'vitest';
import { decodeAsf, decodeRmcpClass, encodePresencePing, encodePresencePong, writeRmcpHeader } from './rmcp.ts';

describe('RMCP header', () => {
  it('contains version, reserved byte, "no acknowledgement" and class', () => {
    const datagram = Buffer.alloc(4);
    writeRmcpHeader(datagram, 0x07);
    expect(datagram.toString('hex')).toBe('0600ff07');
  });

  it('decodes the class with any sequence number', () => {
    expect(decodeRmcpClass(Buffer.from('06000507', 'hex'))).toBe(0x07);
  });

  it.each([
    ['nothing', ''],
    ['three bytes', '0600ff'],
  ])('rejects %s as too short', (_name, hex) => {
    expect(() => decodeRmcpClass(Buffer.from(hex, 'hex'))).toThrow(/RMCP header needs 4 bytes/);
  });

  it.each([
    ['another version', '0500ff07'],
    ['an acknowledgement', '0600ff86'],
  ])('rejects %s', (_name, hex) => {
    expect(() => decodeRmcpClass(Buffer.from(hex, 'hex'))).toThrow(expect.objectContaining({ code: 'Unsupported' }));
  });
});

describe('ASF', () => {
  it('encodes a presence ping', () => {
    expect(encodePresencePing(0x2a).toString('hex')).toBe('0600ff06000011be802a0000');
  });

  it('encodes a presence pong: IPMI supported, ASF 1.0', () => {
    expect(encodePresencePong(0x2a).toString('hex')).toBe(
      '0600ff06000011be402a0010000011be00000000810000000000' + '0000',
    );
  });

  it('decodes type and tag', () => {
    expect(decodeAsf(encodePresencePing(0x2a))).toEqual({ type: 0x80, tag: 0x2a });
  });

  it.each(['0600ff06', '0600ff06000011be802a00'])('rejects %s as too short', (hex) => {
    expect(() => decodeAsf(Buffer.from(hex, 'hex'))).toThrow(/ASF message needs 12 bytes/);
  });

  it('rejects another enterprise number', () => {
    expect(() => decodeAsf(Buffer.from('0600ff06000011bf802a0000', 'hex'))).toThrow(
      expect.objectContaining({ code: 'Unsupported' }),
    );
  });
});
