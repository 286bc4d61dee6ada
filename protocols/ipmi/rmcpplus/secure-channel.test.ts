import { describe, expect, it } from 'vitest';
import { cipherSuite, type CipherSuiteId } from './cipher-suite.ts';
import { sequenceOf } from './packet.ts';
import { SecureChannel } from './secure-channel.ts';

const MESSAGE = Buffer.from('2018c88104013a', 'hex');

function channel(id: CipherSuiteId): SecureChannel {
  const suite = cipherSuite(id);
  return new SecureChannel({
    suite,
    keys: {
      integrity: Buffer.alloc(suite.digestLength, 0x11),
      confidentiality: Buffer.alloc(16, 0x22),
    },
    remoteId: 0x01020304,
    random: (size) => Buffer.from(Array.from({ length: size }, (_, index) => index)),
  });
}

/** Created with OpenSSL's AES and another HMAC implementation. */
const HEAD = '0600ff0706c004030201010000002000000102030405060708090a0b0c0d0e0f99276dd044df1ee431cb4206aae99eadffff0207';
const SEALED = { 3: `${HEAD}af6f7ee85cb57c38fc3f8609`, 17: `${HEAD}340ed176dc6dfd766304b84ab1b8cf16` };

/** The same with another vector: the encrypted random bytes of the channel. */
const SENT_HEAD =
  '0600ff0706c004030201010000002000b7b472078695948d1fd79342b71231694613c888a517e9e01abd1f9c5f3f2bfdffff0207';
const SENT = { 3: `${SENT_HEAD}2bfe5f8963714985d141b236`, 17: `${SENT_HEAD}f894946bd7300c92ab8d3a9e4f2d7708` };

describe.each([3, 17] as const)('SecureChannel of suite %i', (id) => {
  it('encrypts, pads and signs', () => {
    expect(channel(id).seal(0, MESSAGE).toString('hex')).toBe(SENT[id]);
  });

  it('opens a packet sealed by the other side', () => {
    expect(channel(id).open(Buffer.from(SEALED[id], 'hex'))).toEqual(MESSAGE);
  });

  it('numbers its packets', () => {
    const sender = channel(id);
    const sequences = [1, 2, 3].map(() => sequenceOf(sender.seal(0, MESSAGE)));
    expect(sequences).toEqual([1, 2, 3]);
  });

  it.each([
    ['clear', 0x00],
    ['signed but not encrypted', 0x40],
    ['encrypted but not signed', 0x80],
  ])('drops a %s packet', (_name, type) => {
    const datagram = Buffer.from(SEALED[id], 'hex');
    datagram.writeUInt8(type, 5);
    expect(() => channel(id).open(datagram)).toThrow(expect.objectContaining({ code: 'Unauthenticated' }));
  });

  it('drops a packet with a truncated signature', () => {
    const datagram = Buffer.from(SEALED[id], 'hex');
    for (const length of [48, 50, datagram.length - 1]) {
      expect(() => channel(id).open(datagram.subarray(0, length))).toThrow();
    }
  });
});
