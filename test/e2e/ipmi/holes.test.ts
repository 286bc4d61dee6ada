import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cipherSuite } from '../../../protocols/ipmi/rmcpplus/cipher-suite.ts';
import { encodeSessionlessPacket, PAYLOAD_TYPE } from '../../../protocols/ipmi/rmcpplus/packet.ts';
import { RmcpPlusClient } from '../../../protocols/ipmi/testing/rmcp-plus-client.ts';
import { udpTransport, type ClientTransport } from '../../../protocols/ipmi/testing/transport.ts';
import { startMemoryBmc, type MemoryBmc } from './runner/memory-bmc.ts';

/** Network requests that crash other BMC software or bypass its authentication, listed in docs/compatibility.md. */

/** ms without an answer after which a request counts as dropped */
const SILENCE = 300;
const ADMINISTRATOR = 4;
const USER = 2;

let bmc: MemoryBmc;
let transports: ClientTransport[];

beforeEach(async () => {
  bmc = await startMemoryBmc();
  transports = [];
});

afterEach(async () => {
  for (const transport of transports) transport.close();
  await bmc.close();
  expect(bmc.errors).toEqual([]);
});

/** A client with its own socket. */
async function client(): Promise<RmcpPlusClient> {
  const transport = await udpTransport(bmc.endpoint.host, bmc.endpoint.port, SILENCE);
  transports.push(transport);
  return new RmcpPlusClient(transport);
}

async function loggedIn(privilege = ADMINISTRATOR): Promise<RmcpPlusClient> {
  const one = await client();
  await one.login({ ...bmc.endpoint, privilege });
  if (privilege > USER) expect((await one.setPrivilege(privilege)).completionCode).toBe(0);
  return one;
}

async function expectAlive(): Promise<void> {
  const one = await loggedIn();
  expect((await one.command(0x06, 0x01)).completionCode).toBe(0);
}

describe('requests that crash other BMCs', () => {
  it.each([17, 228, 255])('RAKP 1 with a name of %i bytes: refused', async (length) => {
    const one = await client();
    const { managedId } = await one.open(cipherSuite(3));
    const rakp1 = Buffer.alloc(44);
    rakp1.writeUInt32LE(managedId, 4);
    rakp1.writeUInt8(0x14, 24);
    rakp1.writeUInt8(length, 27);
    expect((await one.sessionless(PAYLOAD_TYPE.rakp1, rakp1))[1]).toBe(0x0c);
    await expectAlive();
  });

  it('Open Session, then one secured payload: dropped', async () => {
    const one = await client();
    const { managedId } = await one.open(cipherSuite(3));
    const packet = encodeSessionlessPacket(PAYLOAD_TYPE.ipmi, Buffer.alloc(48));
    packet.writeUInt8(0xc0, 5);
    packet.writeUInt32LE(managedId, 6);
    packet.writeUInt32LE(1, 10);
    expect(await transports[0]?.exchange(packet)).toBeUndefined();
    await expectAlive();
  });

  it('Get Channel Payload Support for the current channel, as ipmiconsole sends it, and for others', async () => {
    const one = await loggedIn();
    const answer = await one.command(0x06, 0x4e, Buffer.of(0x0e));
    expect(answer.completionCode).toBe(0);
    // IPMI and serial over LAN; Open Session and RAKP.
    expect(answer.data.toString('hex')).toBe('03003f0000000000');
    for (const channel of [0x00, 0x02, 0x0d, 0x0f]) {
      expect((await one.command(0x06, 0x4e, Buffer.of(channel))).completionCode, String(channel)).not.toBe(0);
    }
    await expectAlive();
  });

  it('Set Session Privilege Level without data: 0xC7', async () => {
    const one = await loggedIn();
    expect((await one.command(0x06, 0x3b)).completionCode).toBe(0xc7);
    await expectAlive();
  });

  it('a client that disconnects while a console has output for it', async () => {
    const one = await loggedIn();
    const activation = await one.command(0x06, 0x48, Buffer.of(0x01, 0x01, 0xc0, 0x00, 0x00, 0x00));
    expect(activation.completionCode).toBe(0);
    bmc.machine.console.say('login: '.repeat(500));
    for (const transport of transports.splice(0)) transport.close();
    bmc.machine.console.say('login: '.repeat(500));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await expectAlive();
  });

  it('a client that opens a new session from a port with a session', async () => {
    const one = await loggedIn();
    for (let time = 0; time < 3; time += 1) {
      await one.login({ ...bmc.endpoint });
      expect((await one.command(0x06, 0x01)).completionCode).toBe(0);
    }
  });
});

describe('attacks that succeed on other BMCs', () => {
  it('an exact replay: dropped', async () => {
    const one = await loggedIn();
    const powerOff = one.seal(0x00, 0x02, Buffer.of(0));
    expect((await one.exchange(powerOff))?.completionCode).toBe(0);
    await bmc.machine.power('On', { protocol: 'IPMI', user: 'test', address: '127.0.0.1' });
    expect(await one.exchange(powerOff)).toBeUndefined();
    expect(bmc.machine.powerActions).toEqual(['ForceOff', 'On']);
  });

  it('a power off by a user with the User privilege: refused', async () => {
    const one = await loggedIn(USER);
    expect((await one.command(0x00, 0x02, Buffer.of(0))).completionCode).toBe(0xd4);
    expect((await one.setPrivilege(ADMINISTRATOR)).completionCode).toBe(0x81);
    expect(bmc.machine.calls).toEqual([]);
  });

  it('fifteen wrong passwords, then the right one: locked out', async () => {
    for (let time = 0; time < 15; time += 1) {
      await expect((await client()).loginBlindly({ ...bmc.endpoint, password: 'wrong' })).rejects.toThrow();
    }
    await expect((await client()).login({ ...bmc.endpoint })).rejects.toThrow('RAKP 2');
    expect(bmc.failures.slice(0, 5)).toEqual(Array<string>(5).fill('WrongPassword'));
    expect(bmc.failures.slice(5)).toEqual(Array<string>(11).fill('LockedOut'));
  });

  it.each([0, 1, 2])('cipher suite %i, which does not encrypt, with or without a password: refused', async (suite) => {
    const one = await client();
    const algorithms = [
      { authentication: 0, integrity: 0, confidentiality: 0 },
      { authentication: 1, integrity: 0, confidentiality: 0 },
      { authentication: 1, integrity: 1, confidentiality: 0 },
    ][suite];
    await expect(one.open({ ...cipherSuite(3), ...algorithms })).rejects.toThrow('status 0x11');
  });
});
