import { beforeEach, describe, expect, it } from 'vitest';
import type { RmcpPlusClient } from './testing/rmcp-plus-client.ts';
import { cipherSuite } from './rmcpplus/cipher-suite.ts';
import { encodeSessionlessPacket, PAYLOAD_TYPE } from './rmcpplus/packet.ts';
import { CREDENTIALS, PEER, testBmc, type TestBmc } from './testing/test-bmc.ts';

/** Whether the BMC still works after packets that crash other BMC software. */
async function isAlive(): Promise<boolean> {
  const client = await bmc.loggedIn();
  return (await client.command(0x06, 0x01)).completionCode === 0 && bmc.told.failed.length === 0;
}

let bmc: TestBmc;

beforeEach(() => {
  bmc = testBmc();
});

describe('packets that crash other BMCs', () => {
  it.each([17, 228, 255])('RAKP 1 with a name of %i bytes is refused with 0x0C', async (length) => {
    const client = bmc.client();
    const { managedId } = await client.open(cipherSuite(3));
    const rakp1 = Buffer.alloc(44);
    rakp1.writeUInt32LE(managedId, 4);
    rakp1.writeUInt8(0x14, 24);
    rakp1.writeUInt8(length, 27);
    expect((await client.sessionless(PAYLOAD_TYPE.rakp1, rakp1))[1]).toBe(0x0c);
    expect(await isAlive()).toBe(true);
  });

  it('a secured packet right after Open Session is dropped', async () => {
    const { managedId } = await bmc.client().open(cipherSuite(3));
    const packet = encodeSessionlessPacket(0, Buffer.alloc(48));
    packet.writeUInt8(0xc0, 5);
    packet.writeUInt32LE(managedId, 6);
    packet.writeUInt32LE(1, 10);
    expect(await bmc.server.handle(packet, PEER, bmc.now)).toEqual([]);
    expect(bmc.told.dropped).toEqual(['UnknownSession']);
    expect(await isAlive()).toBe(true);
  });

  it('Set Session Privilege Level without data gets 0xC7', async () => {
    const client = await bmc.loggedIn();
    expect((await client.command(0x06, 0x3b)).completionCode).toBe(0xc7);
    expect(await isAlive()).toBe(true);
  });

  it.each([0x00, 0x01, 0x07, 0x0e, 0x0f])(
    'Get Channel Payload Support for channel %i gets an answer',
    async (channel) => {
      bmc = testBmc();
      const client = await bmc.loggedIn();
      const { completionCode } = await client.command(0x06, 0x4e, Buffer.of(channel));
      expect([0x00, 0xcc]).toContain(completionCode);
      expect(await isAlive()).toBe(true);
    },
  );

  it('a SOL client that disconnects with pending output is removed, and the next one gets the console', async () => {
    const client = await bmc.loggedIn();
    expect(await activateSol(client)).toBe(0);
    bmc.machine.console.say('a line without an acknowledgement\r\n'.repeat(200));
    for (let second = 0; second < 120; second += 1) {
      bmc.advance(1_000);
      bmc.server.tick(bmc.now);
      bmc.machine.console.say('more of it\r\n');
    }
    expect(bmc.server.sessionCount).toBe(0);
    expect(await activateSol(await bmc.loggedIn())).toBe(0);
    expect(await isAlive()).toBe(true);
  });

  it('a second log-in from the same port works', async () => {
    await bmc.loggedIn();
    await expect(bmc.client().login(CREDENTIALS)).resolves.toBeDefined();
    expect(await isAlive()).toBe(true);
  });

  it('payloads truncated at any byte are dropped', async () => {
    const types = [0, 1, 2, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x20, 0x3f];
    for (const type of types) {
      for (let length = 0; length < 64; length += 1) {
        await bmc.server.handle(encodeSessionlessPacket(type, Buffer.alloc(length)), PEER, bmc.now);
      }
    }
    expect(await isAlive()).toBe(true);
  });
});

describe('security bugs of other BMCs', () => {
  it('an exact replay is dropped', async () => {
    const client = await bmc.loggedIn();
    const powerOff = client.seal(0x00, 0x02, Buffer.of(0));
    expect((await client.exchange(powerOff))?.completionCode).toBe(0);
    for (let i = 0; i < 3; i += 1) expect(await client.exchange(powerOff)).toBeUndefined();
    expect(bmc.machine.powerActions).toEqual(['ForceOff']);
    expect(bmc.told.dropped).toEqual(['Replayed', 'Replayed', 'Replayed']);
  });

  it('a replay is dropped in the next session, too', async () => {
    const client = await bmc.loggedIn();
    const powerOff = client.seal(0x00, 0x02, Buffer.of(0));
    await client.exchange(powerOff);
    await client.logout();
    await bmc.loggedIn();
    expect(await bmc.server.handle(powerOff, PEER, bmc.now)).toEqual([]);
    expect(bmc.machine.powerActions).toEqual(['ForceOff']);
  });

  it.each([
    [15, 1],
    [16, 0],
  ])('a packet %i ahead of the last is answered %i times', async (ahead, answers) => {
    const client = await bmc.loggedIn();
    for (let i = 1; i < ahead; i += 1) client.seal(0x06, 0x01);
    expect(await bmc.server.handle(client.seal(0x06, 0x01), PEER, bmc.now)).toHaveLength(answers);
  });

  it.each([
    [16, 1],
    [17, 0],
  ])('a packet %i behind the last is answered %i times', async (behind, answers) => {
    const client = await bmc.loggedIn();
    const late = client.seal(0x06, 0x01);
    for (let i = 0; i < behind; i += 1) await client.command(0x06, 0x01);
    for (const expected of [answers, 0]) {
      expect(await bmc.server.handle(late, PEER, bmc.now)).toHaveLength(expected);
    }
  });

  it('sequence number 0 gets no answer, and a forged number does not move the window', async () => {
    const client = await bmc.loggedIn();
    for (const sequence of [0, 10, 18]) {
      const forged = client.seal(0x06, 0x01);
      forged.writeUInt32LE(sequence, 10);
      expect(await bmc.server.handle(forged, PEER, bmc.now)).toEqual([]);
    }
    expect((await client.command(0x06, 0x01)).completionCode).toBe(0);
  });

  it('a session at level User must not turn the power off', async () => {
    const client = await bmc.loggedIn({ privilege: 2 });
    expect((await client.setPrivilege(4)).completionCode).toBe(0x81);
    expect((await client.command(0x00, 0x02, Buffer.of(0))).completionCode).toBe(0xd4);
    expect(bmc.machine.powerActions).toEqual([]);
  });

  it('after 15 wrong passwords the right one is locked out for a while', async () => {
    for (let i = 0; i < 15; i += 1) {
      await expect(bmc.client().loginBlindly({ ...CREDENTIALS, password: 'wrong' })).rejects.toThrow();
    }
    await expect(bmc.client().login(CREDENTIALS)).rejects.toThrow();
    bmc.advance(10 * 60_000);
    await expect(bmc.client().login(CREDENTIALS)).resolves.toBeDefined();
  });

  it.each([0x02, 0x05, 0x20, 0x27, 0x3f])('payload type %i is ignored in a session, which continues', async (type) => {
    const client = await bmc.loggedIn();
    expect(await bmc.server.handle(client.session.channel.seal(type, Buffer.alloc(20)), PEER, bmc.now)).toEqual([]);
    expect((await client.command(0x06, 0x01)).completionCode).toBe(0);
  });

  it('an unencrypted request in a session is dropped, also in IPMI 1.5 format', async () => {
    const client = await bmc.loggedIn();
    const powerOff = Buffer.from('2000e0810402' + '0079', 'hex');
    const clear = encodeSessionlessPacket(0, powerOff);
    clear.writeUInt32LE(client.session.managedId, 6);
    clear.writeUInt32LE(9, 10);
    const header15 = Buffer.from('0600ff070009000000' + '00000000' + '08', 'hex');
    header15.writeUInt32LE(client.session.managedId, 9);
    for (const datagram of [clear, Buffer.concat([header15, powerOff])]) {
      expect(await bmc.server.handle(datagram, PEER, bmc.now)).toEqual([]);
    }
    expect(bmc.machine.powerActions).toEqual([]);
    expect(await isAlive()).toBe(true);
  });
});

/** Activate Payload, IPMI 2.0 §24.1: SOL, instance 1, encrypted and authenticated. */
async function activateSol(client: RmcpPlusClient): Promise<number> {
  return (await client.command(0x06, 0x48, Buffer.from('0101c0000000', 'hex'))).completionCode;
}
