import { describe, expect, it } from 'vitest';
import type { AccountChange } from '../../accounts.ts';
import { NET_FN } from '../message/codes.ts';
import { PAYLOAD_TYPE } from '../rmcpplus/packet.ts';
import type { LoginOptions, RmcpPlusClient } from '../testing/rmcp-plus-client.ts';
import { CREDENTIALS, PEER, testBmc, type TestBmc } from '../testing/test-bmc.ts';
import { decodeBmcPacket, encodeConsolePacket } from './sol-packet.ts';

const ACTIVATE = hex('0101c6000000');
const OPERATOR: AccountChange = {
  name: 'operator',
  password: Buffer.from(CREDENTIALS.password),
  role: 'Operator',
  enabled: true,
};

async function activated(bmc: TestBmc, login: Partial<LoginOptions> = {}): Promise<RmcpPlusClient> {
  const client = await bmc.loggedIn(login);
  expect((await client.command(NET_FN.app, 0x48, ACTIVATE)).completionCode).toBe(0);
  return client;
}

/** Unsolicited output of the BMC as decoded by the client. */
function shown(bmc: TestBmc, client: RmcpPlusClient): string {
  const payloads = bmc.sent.splice(0).map(({ datagram }) => client.session.channel.open(datagram));
  return payloads.map((payload) => decodeBmcPacket(payload).characters.toString('latin1')).join('');
}

describe('serial over LAN in a session', () => {
  it('sends encrypted output to the client and receives its input', async () => {
    const bmc = testBmc();
    const client = await activated(bmc);
    bmc.machine.console.say('login: ');
    bmc.advance(10);
    expect(bmc.sent.map(({ peer }) => peer)).toEqual([PEER]);
    expect(shown(bmc, client)).toBe('login: ');

    const typed = encodeConsolePacket({ sequence: 1, characters: Buffer.from('root\r') });
    const answers = await bmc.server.handle(client.session.channel.seal(PAYLOAD_TYPE.sol, typed), PEER, bmc.now);
    const [answer = Buffer.alloc(0)] = answers;
    expect(decodeBmcPacket(client.session.channel.open(answer))).toMatchObject({ acknowledged: 1, accepted: 5 });
    expect(bmc.machine.console.typed).toBe('root\r');
  });

  it('follows a client to another port', async () => {
    const bmc = testBmc();
    const client = await activated(bmc);
    const moved = { ...PEER, port: 40_001 };
    await bmc.server.handle(client.seal(NET_FN.app, 0x01), moved, bmc.now);
    bmc.machine.console.say('a');
    bmc.advance(10);
    expect(bmc.sent.map(({ peer }) => peer)).toEqual([moved]);
  });

  it.each([
    ['is closed', (_bmc: TestBmc, client: RmcpPlusClient) => client.logout()],
    [
      'times out',
      (bmc: TestBmc) => {
        bmc.advance(61_000);
        bmc.server.tick(bmc.now);
      },
    ],
    [
      'is invalidated',
      (bmc: TestBmc) => {
        bmc.server.invalidateSessions();
      },
    ],
  ])('ends if the session %s, with pending output', async (_name, end) => {
    const bmc = testBmc();
    const client = await activated(bmc);
    bmc.machine.console.say('x'.repeat(1_000));
    await end(bmc, client);
    bmc.sent.splice(0);
    bmc.advance(60_000);
    expect([bmc.sent, bmc.machine.console.isOpen, bmc.told.failed]).toEqual([[], false, []]);
    expect(bmc.told.console).toEqual(['admin begins', 'admin ends']);
    await activated(bmc);
  });

  it.each([
    ['a client disables it', (client: RmcpPlusClient) => client.command(NET_FN.transport, 0x21, hex('0e0100'))],
    [
      'the access of its user is revoked',
      (client: RmcpPlusClient) => client.command(NET_FN.app, 0x4c, hex('0e4302000000')),
    ],
  ])('ends with a text notice if %s', async (_name, end) => {
    const bmc = testBmc();
    await bmc.accounts.change(3, OPERATOR);
    const client = await activated(bmc, { username: 'operator', privilege: 3 });
    await end(await bmc.loggedIn());
    expect(shown(bmc, client)).toBe('\r\n[serial over LAN has been switched off]\r\n');
    expect([bmc.machine.console.isOpen, bmc.server.sessionCount]).toEqual([false, 2]);
    expect((await client.command(NET_FN.app, 0x48, ACTIVATE)).completionCode).toBe(0x81);
  });

  it('is told when the BMC is replaced: at the start, while it goes on, and at its end', async () => {
    const bmc = testBmc();
    const client = await activated(bmc);
    bmc.server.drain();
    bmc.advance(10);
    expect(shown(bmc, client)).toBe(
      '\r\n[this BMC restarts and ends this session within a minute: open it again then]\r\n',
    );
    const acknowledgement = encodeConsolePacket({ acknowledged: 1, accepted: 255 });
    await bmc.server.handle(client.session.channel.seal(PAYLOAD_TYPE.sol, acknowledgement), PEER, bmc.now);
    bmc.machine.console.say('still here');
    bmc.advance(10);
    expect(shown(bmc, client)).toBe('still here');
    bmc.server.endSerialOverLan();
    expect(shown(bmc, client)).toBe('\r\n[this BMC restarts: open serial over LAN again]\r\n');
    expect(bmc.machine.console.isOpen).toBe(false);
  });

  it('ends if its user loses access by another protocol', async () => {
    const bmc = testBmc();
    await bmc.accounts.change(3, OPERATOR);
    await activated(bmc, { username: 'operator', privilege: 3 });
    bmc.server.accountsChanged();
    expect(bmc.machine.console.isOpen).toBe(true);
    await bmc.accounts.change(3, { serialOverLan: false });
    bmc.server.accountsChanged();
    expect([bmc.machine.console.isOpen, bmc.server.sessionCount]).toEqual([false, 1]);
  });

  it('is not available if the owner disabled it', async () => {
    const bmc = testBmc({ serialOverLan: false });
    const client = await bmc.loggedIn();
    expect((await client.command(NET_FN.app, 0x48, ACTIVATE)).completionCode).toBe(0x81);
    const typed = encodeConsolePacket({ sequence: 1 });
    expect(await bmc.server.handle(client.session.channel.seal(PAYLOAD_TYPE.sol, typed), PEER, bmc.now)).toEqual([]);
    expect(bmc.told.dropped).toEqual(['Unsupported']);
  });

  it('reports the advertised port', async () => {
    const client = await testBmc({ advertisedPort: () => 30_623 }).loggedIn();
    const { data } = await client.command(NET_FN.app, 0x48, ACTIVATE);
    expect([data.length, data.readUInt16LE(8)]).toEqual([12, 30_623]);
  });
});

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}
