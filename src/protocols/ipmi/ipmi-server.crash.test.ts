import { describe, expect, it } from 'vitest';
import { cipherSuite } from './rmcpplus/cipher-suite.ts';
import { encodeSessionlessPacket } from './rmcpplus/packet.ts';
import { PAYLOAD_TYPE } from './rmcpplus/payload-type.ts';
import { CREDENTIALS, PEER, testBmc, type TestBmc } from './testing/test-bmc.ts';

/** Packets that end, or have ended, other BMCs in software. */
async function isAlive(bmc: TestBmc): Promise<boolean> {
  const client = await bmc.loggedIn();
  return (await client.command(0x06, 0x01)).completionCode === 0 && bmc.told.failed.length === 0;
}

describe('packets that kill others', () => {
  it.each([17, 228, 255])('RAKP 1 with a name of %i bytes is refused with 0x0C', async (length) => {
    const bmc = testBmc();
    const client = bmc.client();
    const { managedId } = await client.open(cipherSuite(3));
    const rakp1 = Buffer.alloc(44);
    rakp1.writeUInt32LE(managedId, 4);
    rakp1.writeUInt8(0x14, 24);
    rakp1.writeUInt8(length, 27);
    expect((await client.sessionless(PAYLOAD_TYPE.rakp1, rakp1))[1]).toBe(0x0c);
    expect(await isAlive(bmc)).toBe(true);
  });

  it('a secured packet right after Open Session is dropped', async () => {
    const bmc = testBmc();
    const { managedId } = await bmc.client().open(cipherSuite(3));
    const packet = encodeSessionlessPacket(0, Buffer.alloc(48));
    packet.writeUInt8(0xc0, 5);
    packet.writeUInt32LE(managedId, 6);
    packet.writeUInt32LE(1, 10);
    expect(await bmc.server.handle(packet, PEER, bmc.now)).toEqual([]);
    expect(bmc.told.dropped).toEqual(['UnknownSession']);
    expect(await isAlive(bmc)).toBe(true);
  });

  it('Set Session Privilege Level without data gets 0xC7', async () => {
    const bmc = testBmc();
    const client = await bmc.loggedIn();
    expect((await client.command(0x06, 0x3b)).completionCode).toBe(0xc7);
    expect(await isAlive(bmc)).toBe(true);
  });

  it('Get Channel Payload Support for a channel without LAN gets an answer', async () => {
    const bmc = testBmc();
    const client = await bmc.loggedIn();
    for (const channel of [0, 0x0e, 0x0f]) {
      expect((await client.command(0x06, 0x4e, Buffer.of(channel))).completionCode).not.toBe(0);
    }
    expect(await isAlive(bmc)).toBe(true);
  });

  it('a second log-in from a port that has a session works', async () => {
    const bmc = testBmc();
    await bmc.loggedIn();
    await expect(bmc.client().login(CREDENTIALS)).resolves.toBeDefined();
    expect(await isAlive(bmc)).toBe(true);
  });

  it('payloads that end anywhere are dropped', async () => {
    const bmc = testBmc();
    const types = [0, 1, 2, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x20, 0x3f];
    for (const type of types) {
      for (let length = 0; length < 64; length += 1) {
        await bmc.server.handle(encodeSessionlessPacket(type, Buffer.alloc(length)), PEER, bmc.now);
      }
    }
    expect(await isAlive(bmc)).toBe(true);
  });
});
