import { describe, expect, it } from 'vitest';
import { decodeRmcpClass, writeRmcpHeader } from './rmcp-header.ts';

describe('RMCP header', () => {
  it('is version, reserved, "no acknowledgement" and class', () => {
    const datagram = Buffer.alloc(4);
    writeRmcpHeader(datagram, 0x07);
    expect(datagram.toString('hex')).toBe('0600ff07');
  });

  it('gives the class whatever the sequence number is', () => {
    expect(decodeRmcpClass(Buffer.from('06000507', 'hex'))).toBe(0x07);
  });

  it.each([
    ['nothing', ''],
    ['three bytes', '0600ff'],
  ])('says that %s is too short', (_name, hex) => {
    expect(() => decodeRmcpClass(Buffer.from(hex, 'hex'))).toThrow(/RMCP header needs 4 bytes/);
  });

  it.each([
    ['another version', '0500ff07'],
    ['an acknowledgement', '0600ff86'],
  ])('refuses %s', (_name, hex) => {
    expect(() => decodeRmcpClass(Buffer.from(hex, 'hex'))).toThrow(expect.objectContaining({ code: 'Unsupported' }));
  });
});
