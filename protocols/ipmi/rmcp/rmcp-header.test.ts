import { describe, expect, it } from 'vitest';
import { decodeRmcpClass, writeRmcpHeader } from './rmcp-header.ts';

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
