import { beforeEach, describe, expect, it } from 'vitest';
import { memoryAccount, MemoryAccounts } from '../../testing/index.ts';
import { cipherSuite } from '../rmcpplus/cipher-suite.ts';
import { PAYLOAD_TYPE } from '../rmcpplus/packet.ts';
import { encodeRakp3 } from '../rmcpplus/rakp.ts';
import { RmcpPlusClient } from '../testing/rmcp-plus-client.ts';
import { CREDENTIALS, PEER, seededRandom, testBmc, type TestBmc } from '../testing/test-bmc.ts';
import { directTransport } from '../testing/transport.ts';

let bmc: TestBmc;

beforeEach(() => {
  bmc = bmcWithAccounts();
});

const OPS = { username: 'ops', password: 'operator' };
const VIEWER = { username: 'viewer', password: 'looks' };
const OTHERS = [
  memoryAccount(3, { ...OPS, role: 'Operator' }),
  memoryAccount(4, { ...VIEWER, role: 'ReadOnly' }),
  memoryAccount(5, { username: 'off', password: 'password', enabled: false }),
  memoryAccount(6, { username: 'none', password: 'password', role: 'NoAccess' }),
];

function bmcWithAccounts(options: Parameters<typeof testBmc>[0] = {}): TestBmc {
  const made = testBmc(options);
  made.accounts = new MemoryAccounts(CREDENTIALS, OTHERS);
  return made;
}

/** Responses to RAKP 1 and to a RAKP 3 with a wrong code. */
async function guess(username: string, role = 0x14): Promise<{ rakp2: Buffer; rakp4: Buffer }> {
  const client = bmc.client();
  const { managedId } = await client.open(cipherSuite(17));
  const rakp2 = await client.rakp1(managedId, { username, role });
  const rakp3 = encodeRakp3({ tag: 2, status: 0, managedId, authCode: Buffer.alloc(32) });
  return { rakp2, rakp4: await client.sessionless(PAYLOAD_TYPE.rakp3, rakp3) };
}

describe('several accounts', () => {
  it.each([
    ['the owner', { ...CREDENTIALS, privilege: 4 as const }],
    ['an operator', { ...OPS, privilege: 3 as const }],
    ['an operator as user', { ...OPS, privilege: 2 as const }],
    ['a user', { ...VIEWER, privilege: 2 as const }],
  ])('accept %s with its own password', async (_name, login) => {
    await bmc.client().login(login);
    expect(bmc.told.loginSucceeded.map(({ user }) => user)).toEqual([login.username]);
  });

  it.each([
    ['an operator as administrator', { ...OPS, privilege: 4 as const }],
    ['a user as operator', { ...VIEWER, privilege: 3 as const }],
  ])('reject %s with 0x0A', async (_name, login) => {
    await expect(bmc.client().login(login)).rejects.toMatchObject({ step: 'RAKP 2', status: 0x0a });
    expect(bmc.told.loginFailed.map(({ reason }) => reason)).toEqual(['PrivilegeTooHigh']);
  });

  it.each(['off', 'none', 'nobody'])('reject user %s with 0x0D', async (username) => {
    const attempt = bmc.client().login({ username, password: 'password' });
    await expect(attempt).rejects.toMatchObject({ step: 'RAKP 2', status: 0x0d });
  });

  it('do not accept the password of another account', async () => {
    const attempt = bmc.client().login({ username: 'ops', password: 'password', privilege: 3 });
    await expect(attempt).rejects.toMatchObject({ step: 'RAKP 2', status: undefined });
  });

  it('reject a log-in whose privilege is revoked during the handshake', async () => {
    const transport = directTransport(bmc.server, PEER, () => bmc.now);
    const exchange = async (datagram: Buffer): Promise<Buffer | undefined> => {
      if (datagram[5] === PAYLOAD_TYPE.rakp3) await bmc.accounts.change(3, { password: Buffer.from('changed') });
      return await transport.exchange(datagram);
    };
    const client = new RmcpPlusClient({ ...transport, exchange }, seededRandom('client'));
    await expect(client.login({ ...OPS, privilege: 3 })).rejects.toMatchObject({ step: 'RAKP 4', status: 0x0f });
  });
});

describe('sessions of a changed account', () => {
  it('end, while other sessions continue', async () => {
    const [owner, ops] = [await bmc.loggedIn(), await bmc.loggedIn({ ...OPS, privilege: 3 })];
    await bmc.accounts.change(3, { password: Buffer.from('changed') });
    bmc.server.accountsChanged();
    expect(bmc.told.sessionEnded).toEqual(['Invalidated']);
    await expect(ops.command(0x06, 0x01)).rejects.toThrow('no answer');
    expect((await owner.command(0x06, 0x01)).completionCode).toBe(0);
  });

  it('continue if nothing relevant has changed', async () => {
    await bmc.loggedIn({ ...OPS, privilege: 3 });
    await bmc.accounts.change(4, { name: '' });
    await bmc.accounts.change(3, { serialOverLan: false });
    bmc.server.accountsChanged();
    expect(bmc.server.sessionCount).toBe(1);
  });
});

describe('a session that changes its own password', () => {
  const ADMIN = { username: 'ops', password: 'operator' };
  const SET_PASSWORD = Buffer.concat([Buffer.of(3, 2), Buffer.from('changed'), Buffer.alloc(9)]);

  it('continues if the change is visible before it is reported as stored', async () => {
    const accounts = new MemoryAccounts(CREDENTIALS, [memoryAccount(3, ADMIN)]);
    const change = async (...args: Parameters<MemoryAccounts['change']>): Promise<void> => {
      await accounts.change(...args);
      bmc.server.accountsChanged();
    };
    bmc = testBmc({ accounts: { list: () => accounts.list(), add: (one) => accounts.add(one), change } });
    const client = await bmc.loggedIn(ADMIN);
    await bmc.loggedIn(ADMIN);
    expect((await client.command(0x06, 0x47, SET_PASSWORD)).completionCode).toBe(0);
    expect((await client.command(0x06, 0x01)).completionCode).toBe(0);
    expect(bmc.told.sessionEnded).toEqual(['Invalidated']);
  });

  it('continues if the change is visible only after it is reported as stored', async () => {
    const accounts = new MemoryAccounts(CREDENTIALS, [memoryAccount(3, ADMIN)]);
    let seen = accounts.list();
    const change = accounts.change.bind(accounts);
    bmc = testBmc({ accounts: { list: () => seen, add: (one) => accounts.add(one), change } });
    const client = await bmc.loggedIn(ADMIN);
    expect((await client.command(0x06, 0x47, SET_PASSWORD)).completionCode).toBe(0);
    seen = [...seen];
    bmc.server.accountsChanged();
    seen = accounts.list();
    bmc.server.accountsChanged();
    expect((await client.command(0x06, 0x01)).completionCode).toBe(0);
    await accounts.change(3, { password: Buffer.from('by another') });
    seen = accounts.list();
    bmc.server.accountsChanged();
    expect(bmc.told.sessionEnded).toEqual(['Invalidated']);
  });
});

describe('hidden user names', () => {
  it('make a log-in of an unknown user look like a wrong password at each step', async () => {
    bmc = bmcWithAccounts({ hideUserNames: true });
    const [known, unknown] = [await guess('admin'), await guess('nobody')];
    expect(unknown.rakp2).toHaveLength(known.rakp2.length);
    expect([known, unknown].map(({ rakp2, rakp4 }) => [rakp2[1], rakp4[1], rakp4.length])).toEqual([
      [0x00, 0x0f, 8],
      [0x00, 0x0f, 8],
    ]);
    expect(bmc.told.loginFailed.map(({ reason }) => reason)).toEqual(['WrongPassword', 'UnknownUser']);
  });

  it.each(['off', 'none', ''])('hide user %j', async (username) => {
    bmc = bmcWithAccounts({ hideUserNames: true });
    const { rakp2, rakp4 } = await guess(username);
    expect([rakp2[1], rakp4[1]]).toEqual([0x00, 0x0f]);
  });

  it('reveal a too high privilege only with the password', async () => {
    bmc = bmcWithAccounts({ hideUserNames: true });
    expect((await guess('ops')).rakp4[1]).toBe(0x0f);
    await expect(bmc.client().login(OPS)).rejects.toMatchObject({ step: 'RAKP 4', status: 0x0a });
    expect(bmc.told.loginFailed.map(({ reason }) => reason)).toEqual(['WrongPassword', 'PrivilegeTooHigh']);
  });

  it('do not affect valid log-ins', async () => {
    await expect(bmcWithAccounts({ hideUserNames: true }).loggedIn()).resolves.toBeDefined();
  });

  it('answer a retransmitted RAKP 1 of an unknown user the same way', async () => {
    bmc = bmcWithAccounts({ hideUserNames: true });
    const client = bmc.client();
    const { managedId } = await client.open(cipherSuite(3));
    const first = await client.rakp1(managedId, { username: 'nobody' });
    expect(await client.rakp1(managedId, { username: 'nobody' })).toEqual(first);
  });
});

describe('15 wrong passwords before the right one', () => {
  async function wrongTimes(times: number, username = 'admin'): Promise<void> {
    for (let i = 0; i < times; i += 1) {
      await bmc
        .client()
        .loginBlindly({ username, password: 'wrong' })
        .catch(() => undefined);
    }
  }

  it('cause 0x0D until the lockout ends', async () => {
    await wrongTimes(15);
    await expect(bmc.client().login(CREDENTIALS)).rejects.toMatchObject({ step: 'RAKP 2', status: 0x0d });
    const reasons = bmc.told.loginFailed.map(({ reason }) => reason);
    expect(reasons).toEqual([...Array<string>(5).fill('WrongPassword'), ...Array<string>(11).fill('LockedOut')]);
    bmc.now += 60_001;
    await expect(bmc.client().login(CREDENTIALS)).resolves.toBeDefined();
  });

  it('lock out no other user', async () => {
    await wrongTimes(15);
    await expect(bmc.client({ address: '192.0.2.99', port: 1 }).login(CREDENTIALS)).resolves.toBeDefined();
    await expect(bmc.client().login({ ...OPS, privilege: 3 })).resolves.toBeDefined();
  });

  it('look like 16 wrong passwords if user names are hidden', async () => {
    bmc = bmcWithAccounts({ hideUserNames: true });
    await wrongTimes(15);
    await expect(bmc.client().login(CREDENTIALS)).rejects.toMatchObject({ step: 'RAKP 2', status: undefined });
    const { rakp2, rakp4 } = await guess('admin');
    expect([rakp2[1], rakp4[1]]).toEqual([0x00, 0x0f]);
  });

  it('do not delay a client with the right password behind a shared address', async () => {
    await bmc.loggedIn();
    await wrongTimes(100);
    await expect(bmc.client().login(CREDENTIALS)).resolves.toBeDefined();
    expect(bmc.told.loginFailed.map(({ reason }) => reason)).not.toContain('LockedOut');
  });

  it('delay a user that has not logged in behind a shared address by seconds', async () => {
    await bmc.client().login({ ...OPS, privilege: 3 });
    await wrongTimes(15);
    await expect(bmc.client().login(CREDENTIALS)).rejects.toThrow('no answer');
    bmc.now += 2_000;
    await expect(bmc.client().login(CREDENTIALS)).resolves.toBeDefined();
  });

  it('count if the client stops after RAKP 2, as ipmitool does', async () => {
    for (let i = 0; i < 5; i += 1) {
      await bmc
        .client()
        .login({ username: 'admin', password: 'wrong' })
        .catch(() => undefined);
    }
    bmc.now += 1_001;
    await expect(bmc.client().login(CREDENTIALS)).rejects.toMatchObject({ step: 'RAKP 2', status: 0x0d });
  });

  it('count if the client stops after RAKP 2 and the handshake lapses before the next attempt', async () => {
    const bmc = bmcWithAccounts();
    for (let i = 0; i < 5; i += 1) {
      await bmc
        .client()
        .login({ username: 'admin', password: 'wrong' })
        .catch(() => undefined);
      bmc.now += 5_001;
      bmc.server.tick(bmc.now);
    }
    await expect(bmc.client().login(CREDENTIALS)).rejects.toMatchObject({ step: 'RAKP 2', status: 0x0d });
  });

  it('do not count if other handshakes displaced the handshake', async () => {
    bmc = bmcWithAccounts({ maxHalfOpen: 2 });
    for (let i = 0; i < 20; i += 1) {
      const client = bmc.client();
      const { managedId } = await client.open(cipherSuite(17));
      await client.rakp1(managedId);
      for (let flood = 0; flood < 2; flood += 1) {
        await bmc.client({ address: '198.51.100.1', port: 1 }).open(cipherSuite(17));
      }
    }
    bmc.now += 1_001;
    await expect(bmc.client().login(CREDENTIALS)).resolves.toBeDefined();
  });

  it('count for the source of Open Session, not for the source address of later packets', async () => {
    const attacker = bmc.client({ address: '198.51.100.1', port: 1 });
    const spoofed = bmc.client(PEER);
    for (let i = 0; i < 6; i += 1) {
      const { managedId } = await attacker.open(cipherSuite(17));
      await spoofed.rakp1(managedId);
      const rakp3 = { tag: 2, status: 0, managedId, authCode: Buffer.alloc(32) };
      await spoofed.sessionless(PAYLOAD_TYPE.rakp3, encodeRakp3(rakp3));
    }
    await expect(bmc.client(PEER).login(CREDENTIALS)).resolves.toBeDefined();
    await expect(attacker.login(CREDENTIALS)).rejects.toMatchObject({ step: 'RAKP 2', status: 0x0d });
  });

  it('have no effect with a threshold of 0', async () => {
    bmc = bmcWithAccounts({ lockout: { threshold: 0, seconds: 60 } });
    await wrongTimes(30);
    await expect(bmc.client({ ...PEER, port: 9 }).login(CREDENTIALS)).resolves.toBeDefined();
  });
});
