import { beforeEach, describe, expect, it } from 'vitest';
import { memoryAccount, MemoryAccounts } from '../../testing/index.ts';
import { uint32 } from '../message/integers.ts';
import { Client15 } from '../testing/client15.ts';
import { CREDENTIALS, PEER, testBmc, type TestBmc } from '../testing/test-bmc.ts';
import { directTransport } from '../testing/transport.ts';

let bmc: TestBmc;

beforeEach(() => {
  bmc = bmc15();
});

const LONG = { username: 'long', password: 'p'.repeat(17) };
const OPS = { username: 'ops', password: 'operator' };

function bmc15(options: Parameters<typeof testBmc>[0] = {}): TestBmc {
  const made = testBmc({ ipmi15: true, ...options });
  made.accounts = new MemoryAccounts(CREDENTIALS, [
    memoryAccount(3, { ...OPS, role: 'Operator' }),
    memoryAccount(4, LONG),
  ]);
  return made;
}

function clientOf(peer = PEER): Client15 {
  return new Client15(directTransport(bmc.server, peer, () => bmc.now));
}

async function loggedIn(): Promise<Client15> {
  const client = clientOf();
  expect(await client.login(CREDENTIALS)).toBe(0);
  return client;
}

describe('an IPMI 1.5 session', () => {
  it('opens with MD5, starts at level User, can reach the requested level, and closes', async () => {
    const client = await loggedIn();
    expect(bmc.told.loginSucceeded).toEqual([{ user: 'admin', peer: PEER, cipherSuite: undefined }]);
    expect((await client.command(0x00, 0x02, Buffer.of(1))).completionCode).toBe(0xd4);
    expect((await client.command(0x06, 0x3b, Buffer.of(4))).data).toEqual(Buffer.of(4));
    expect((await client.command(0x00, 0x02, Buffer.of(0))).completionCode).toBe(0);
    expect(bmc.machine.powerActions).toEqual(['ForceOff']);
    expect((await client.command(0x06, 0x3c, uint32(client.sessionId))).completionCode).toBe(0);
    expect(bmc.server.sessionCount).toBe(0);
  });

  it('numbers packets in both directions, and accepts each once within its window', async () => {
    const client = await loggedIn();
    expect(client.received).toBe(0x100);
    const packet = client.seal(0x06, 0x01);
    expect((await client.exchange(packet))?.completionCode).toBe(0);
    expect(client.received).toBe(0x101);
    expect(await client.exchange(packet)).toBeUndefined();
    client.sequence += 100;
    expect(await client.exchange(client.seal(0x06, 0x01))).toBeUndefined();
    client.sequence = 0;
    expect(await client.exchange(client.seal(0x06, 0x01))).toBeUndefined();
    expect(bmc.told.dropped).toEqual(['Replayed', 'Replayed', 'Replayed']);
  });

  it('reports an error for a response that is too large for a packet, and continues', async () => {
    const hardware = bmc.machine.hardware();
    bmc.machine.hardware = () => ({ ...hardware, serial: 'S'.repeat(60) });
    const client = await loggedIn();
    const size = (await client.command(0x0a, 0x10, Buffer.of(0))).data.readUInt16LE(0);
    expect(size).toBeGreaterThan(250);
    expect(await client.command(0x0a, 0x11, Buffer.of(0, 0, 0, 250))).toMatchObject({ completionCode: 0xca });
    const part = await client.command(0x0a, 0x11, Buffer.of(0, 0, 0, 246));
    expect([part.completionCode, part.data.length]).toEqual([0, 247]);
    expect([bmc.told.dropped, bmc.told.failed]).toEqual([[], []]);
  });

  it('drops forged packets and packets without MD5 authentication', async () => {
    const client = await loggedIn();
    const forged = client.seal(0x06, 0x01);
    forged.writeUInt8(forged.readUInt8(20) ^ 1, 20);
    expect(await client.exchange(forged)).toBeUndefined();
    const password = client.seal(0x06, 0x01);
    password.writeUInt8(0x04, 4);
    expect(await client.exchange(password)).toBeUndefined();
    expect(bmc.told.dropped).toEqual(['BadIntegrity', 'Unauthenticated']);
    const clear = Buffer.concat([
      client.seal(0x06, 0x01).subarray(0, 13),
      Buffer.of(7, 0x20, 0x18, 0xc8, 0x81, 4, 1, 0x7a),
    ]);
    clear.writeUInt8(0, 4);
    expect(await bmc.server.handle(clear, PEER, bmc.now)).toEqual([]);
  });

  it('cannot be used with RMCP+ packets, nor RMCP+ sessions with its own', async () => {
    const client = await loggedIn();
    const plus = await bmc.loggedIn();
    const packet = plus.seal(0x06, 0x01);
    packet.writeUInt32LE(client.sessionId, 6);
    expect(await bmc.server.handle(packet, PEER, bmc.now)).toEqual([]);
    client.sessionId = plus.session.managedId;
    expect(await client.exchange(client.seal(0x06, 0x01))).toBeUndefined();
  });

  it('ends after 60 s of silence', async () => {
    const client = await loggedIn();
    bmc.now += 60_001;
    await expect(client.command(0x06, 0x01)).rejects.toThrow('no answer');
    expect(bmc.told.sessionEnded).toEqual(['Expired']);
  });

  it('repeats a lost Activate Session response', async () => {
    const sent: Buffer[] = [];
    const transport = directTransport(bmc.server, PEER, () => bmc.now);
    const exchange = async (datagram: Buffer): Promise<Buffer | undefined> => {
      sent.push(datagram);
      return await transport.exchange(datagram);
    };
    const client = new Client15({ ...transport, exchange });
    expect(await client.login(CREDENTIALS)).toBe(0);
    const activation = sent.at(-1) ?? Buffer.alloc(0);
    expect((await client.exchange(activation))?.completionCode).toBe(0);
    expect(bmc.server.sessionCount).toBe(1);
    expect((await client.command(0x06, 0x01)).completionCode).toBe(0);
  });
});

describe('the IPMI 1.5 log-in', () => {
  it.each([
    ['an unknown user', 'nobody', 0x81],
    ['the null user', '', 0x82],
    ['a password of over 16 bytes', 'long', 0x81],
  ])('refuses %s', async (_name, username, completionCode) => {
    expect((await clientOf().challenge(username)).completionCode).toBe(completionCode);
  });

  it.each([
    ['NONE', 0],
    ['MD2', 1],
    ['PASSWORD', 4],
  ])('refuses authentication type %s', async (_name, type) => {
    expect((await clientOf().challenge('admin', type)).completionCode).toBe(0xcc);
  });

  it("refuses more than the user's privilege limit", async () => {
    expect(await clientOf().login({ ...OPS, privilege: 4 })).toBe(0x86);
    expect(await clientOf().login({ ...OPS, privilege: 3 })).toBe(0);
    expect(bmc.told.loginFailed.map(({ reason }) => reason)).toEqual(['PrivilegeTooHigh']);
  });

  it('gives no answer to a wrong password, and accepts one attempt per challenge', async () => {
    const client = clientOf();
    expect(await client.login({ ...CREDENTIALS, password: 'wrong' })).toBeUndefined();
    expect(bmc.told.loginFailed.map(({ reason }) => reason)).toEqual(['WrongPassword']);
    expect(bmc.told.dropped).toEqual(['Unauthenticated']);
    expect(await client.exchange(client.seal(0x06, 0x3a))).toBeUndefined();
    expect(bmc.told.dropped).toEqual(['Unauthenticated', 'UnknownSession']);
  });

  it('shares its lockout with RMCP+', async () => {
    for (let i = 0; i < 5; i += 1) await clientOf().login({ ...CREDENTIALS, password: 'wrong' });
    expect(await clientOf().login(CREDENTIALS)).toBeUndefined();
    await expect(bmc.client().login(CREDENTIALS)).rejects.toMatchObject({ status: 0x0d });
    bmc.now += 60_001;
    expect(await clientOf().login(CREDENTIALS)).toBe(0);
  });

  it('locks out the source of the challenge, not the source address of the attempt', async () => {
    const attacker = { address: '198.51.100.1', port: 1 };
    const exchange = async (datagram: Buffer): Promise<Buffer | undefined> => {
      const peer = datagram[4] === 0x00 ? attacker : PEER;
      return await directTransport(bmc.server, peer, () => bmc.now).exchange(datagram);
    };
    const spoofing = new Client15({ ...directTransport(bmc.server, PEER, () => bmc.now), exchange });
    for (let i = 0; i < 6; i += 1) await spoofing.login({ ...CREDENTIALS, password: 'wrong' });
    expect(await clientOf().login(CREDENTIALS)).toBe(0);
    expect(await clientOf(attacker).login(CREDENTIALS)).toBeUndefined();
  });

  it('is throttled for a shared source, and continues with a retransmission', async () => {
    await clientOf().login({ ...OPS, password: 'wrong' });
    for (let i = 0; i < 5; i += 1) await clientOf().login({ ...CREDENTIALS, password: 'wrong' });
    const transport = directTransport(bmc.server, PEER, () => bmc.now);
    const exchange = async (datagram: Buffer): Promise<Buffer | undefined> => {
      const answer = await transport.exchange(datagram);
      if (answer !== undefined) return answer;
      bmc.now += 1_000;
      return await transport.exchange(datagram);
    };
    expect(await new Client15({ ...transport, exchange }).login(CREDENTIALS)).toBe(0);
    expect(bmc.told.dropped.at(-1)).toBe('Overloaded');
  });

  it('hides user names if configured', async () => {
    bmc = bmc15({ hideUserNames: true });
    expect((await clientOf().challenge('nobody')).completionCode).toBe(0);
    expect(await clientOf().login({ username: 'nobody', password: 'password' })).toBeUndefined();
    expect(bmc.told.loginFailed.map(({ reason }) => reason)).toEqual(['UnknownUser']);
  });

  it('reports that all sessions are in use; the limit is shared with RMCP+', async () => {
    bmc = bmc15({ maxSessions: 1 });
    await bmc.loggedIn();
    expect(await clientOf().login(CREDENTIALS)).toBe(0x81);
  });

  it.each([
    ['it is switched off', false, undefined],
    ['a K_G is set, of which IPMI 1.5 knows nothing', true, Buffer.from('key')],
  ])('is unsupported if %s', async (_name, ipmi15, key) => {
    bmc = bmc15({ ipmi15 });
    bmc.bmcKey = key;
    expect((await clientOf().challenge('admin')).completionCode).toBe(0xc1);
    const capabilities = await bmc.client().publicCommand(0x06, 0x38, Buffer.of(0x8e, 0x04));
    expect(capabilities.data.readUInt8(1) & 0x3f).toBe(0);
  });

  it('is advertised with MD5 only, if enabled', async () => {
    const answer = await bmc.client().publicCommand(0x06, 0x38, Buffer.of(0x8e, 0x04));
    expect(answer.data.toString('hex')).toBe('0184040300000000');
    const plain = await bmc.client().publicCommand(0x06, 0x38, Buffer.of(0x0e, 0x04));
    expect(plain.data.toString('hex')).toBe('0104040000000000');
  });

  it('keeps no state after a flood of challenges', async () => {
    for (let i = 0; i < 1_000; i += 1) await clientOf({ address: `192.0.2.${i % 250}`, port: 1 }).challenge('admin');
    expect(bmc.told.loginFailed).toEqual([]);
    expect(await clientOf().login(CREDENTIALS)).toBe(0);
  });
});
