import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRequest, encodeRequest, type RequestMessage } from '../message/lan-message.ts';
import { PacketError } from '../packet-error.ts';
import { cipherSuite, type CipherSuiteId } from './cipher-suite.ts';
import { SecureChannel } from './secure-channel.ts';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength, size: 'max' }).map((array) => Buffer.from(array));
const suiteId = fc.constantFrom<CipherSuiteId>(3, 17);

function channels(id: CipherSuiteId, key: Buffer): [SecureChannel, SecureChannel] {
  const suite = cipherSuite(id);
  const keys = { integrity: Buffer.concat([key, Buffer.alloc(20)]), confidentiality: Buffer.alloc(16, key) };
  const one = (): SecureChannel =>
    new SecureChannel({ suite, keys, remoteId: 5, random: (size) => Buffer.alloc(size, key) });
  return [one(), one()];
}

function openedBy(receiver: SecureChannel, datagram: Buffer): Buffer | undefined {
  try {
    return receiver.open(datagram);
  } catch (error) {
    if (error instanceof PacketError) return undefined;
    throw error;
  }
}

describe('SecureChannel', () => {
  it('returns any payload unchanged, in fully written datagrams', () => {
    fc.assert(
      fc.property(suiteId, bytes(20), fc.array(bytes(300), { maxLength: 20 }), (id, seed, payloads) => {
        const [sender, receiver] = channels(id, Buffer.concat([seed, Buffer.of(1)]));
        for (const payload of payloads) expect(receiver.open(sender.seal(1, payload))).toEqual(payload);
      }),
    );
  });

  it('accepts reordered packets within the window once each, without changing earlier payloads', () => {
    const order = fc.array(fc.nat({ max: 14 }), { minLength: 1, maxLength: 60, size: 'max' });
    fc.assert(
      fc.property(suiteId, order, (id, indices) => {
        const [sender, receiver] = channels(id, Buffer.of(7));
        const sealed = Array.from({ length: 15 }, (_, index) => sender.seal(0, Buffer.of(index)));
        const taken = new Set<number>();
        const kept: { index: number; payload: Buffer }[] = [];
        for (const index of indices) {
          const payload = openedBy(receiver, sealed[index] ?? Buffer.alloc(0));
          expect(payload !== undefined).toBe(!taken.has(index));
          taken.add(index);
          if (payload !== undefined) kept.push({ index, payload });
        }
        for (const { index, payload } of kept) expect(payload).toEqual(Buffer.of(index));
      }),
    );
  });

  it('rejects a packet with any changed byte, and then accepts the genuine one', () => {
    fc.assert(
      fc.property(suiteId, bytes(60), fc.nat(), fc.integer({ min: 1, max: 255 }), (id, payload, at, flip) => {
        const [sender, receiver] = channels(id, Buffer.of(9));
        const genuine = sender.seal(0, payload);
        const forged = Buffer.from(genuine);
        const index = 4 + (at % (genuine.length - 4));
        forged[index] = (forged[index] ?? 0) ^ flip;
        expect(openedBy(receiver, forged)).toBeUndefined();
        expect(receiver.open(genuine)).toEqual(payload);
      }),
    );
  });
});

describe('an IPMI request', () => {
  const request: fc.Arbitrary<RequestMessage> = fc.record({
    responderAddress: fc.nat({ max: 255 }),
    netFn: fc.nat({ max: 31 }).map((half) => half * 2),
    responderLun: fc.nat({ max: 3 }),
    requesterAddress: fc.nat({ max: 255 }),
    requesterLun: fc.nat({ max: 3 }),
    sequence: fc.nat({ max: 63 }),
    command: fc.nat({ max: 255 }),
    data: bytes(300),
  });

  it('is decoded as it was encoded', () => {
    fc.assert(
      fc.property(request, (message) => {
        expect(decodeRequest(encodeRequest(message))).toEqual(message);
      }),
    );
  });
});
