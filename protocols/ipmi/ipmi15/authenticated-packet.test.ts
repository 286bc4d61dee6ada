import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PacketError } from '../packet-error.ts';
import { decodeAuthenticatedPacket, encodeAuthenticatedPacket, isGenuine } from './authenticated-packet.ts';

const PASSWORD = Buffer.from('password');
const MESSAGE = Buffer.from('2018c88104013a', 'hex');

describe('an IPMI 1.5 session packet', () => {
  it('carries MD5 over password, session ID, message, sequence number and password', () => {
    const datagram = encodeAuthenticatedPacket(PASSWORD, {
      sessionId: 0x01020304,
      sequence: 0x0a0b0c0d,
      payload: MESSAGE,
    });
    const key = `${PASSWORD.toString('hex')}${'00'.repeat(8)}`;
    const code = createHash('md5')
      .update(Buffer.from(`${key}04030201${MESSAGE.toString('hex')}0d0c0b0a${key}`, 'hex'))
      .digest('hex');
    expect(datagram.toString('hex')).toBe(`0600ff07020d0c0b0a04030201${code}07${MESSAGE.toString('hex')}`);
  });

  it('is decoded as it was encoded, and verified only with the password', () => {
    const any = fc.record({
      sessionId: fc.nat(0xffff_ffff),
      sequence: fc.nat(0xffff_ffff),
      payload: fc.uint8Array({ maxLength: 255 }).map((bytes) => Buffer.from(bytes)),
    });
    fc.assert(
      fc.property(any, fc.string({ minLength: 1, maxLength: 16 }), (fields, other) => {
        const packet = decodeAuthenticatedPacket(encodeAuthenticatedPacket(PASSWORD, fields));
        expect(packet).toMatchObject(fields);
        expect(isGenuine(PASSWORD, packet)).toBe(true);
        if (other !== 'password') expect(isGenuine(Buffer.from(other), packet)).toBe(false);
      }),
    );
  });

  it('is dropped if truncated or with another authentication type', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 4, maxLength: 64 }), (bytes) => {
        try {
          decodeAuthenticatedPacket(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(PacketError);
        }
      }),
    );
  });

  it('has at most 255 bytes of message', () => {
    const tooLong = { sessionId: 1, sequence: 1, payload: Buffer.alloc(256) };
    expect(() => encodeAuthenticatedPacket(PASSWORD, tooLong)).toThrow(PacketError);
  });
});
