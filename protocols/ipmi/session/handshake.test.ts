import { MemoryAccounts } from '../../testing/index.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { cipherSuite } from '../rmcpplus/cipher-suite.ts';
import { rakp3AuthCode } from '../rmcpplus/keys.ts';
import { decodeRefusal, encodeOpenSessionRequest } from '../rmcpplus/open-session.ts';
import { PAYLOAD_TYPE } from '../rmcpplus/packet.ts';
import { decodeRakp2, encodeRakp3 } from '../rmcpplus/rakp.ts';
import { consoleSessionId, managedSessionId } from '../rmcpplus/session-id.ts';
import type { Rakp1Fields } from '../testing/rmcp-plus-client.ts';
import { CREDENTIALS, PEER, testBmc, type TestBmc } from '../testing/test-bmc.ts';

let bmc: TestBmc;

beforeEach(() => {
  bmc = testBmc();
});

const SUITE_3 = { authentication: 1, integrity: 1, confidentiality: 1 };

async function statusOf(payloadType: number, payload: Buffer): Promise<number> {
  return decodeRefusal(await bmc.client().sessionless(payloadType, payload)).status;
}

async function openStatus(fields: object): Promise<number> {
  const request = { tag: 1, maxPrivilege: 0, consoleId: consoleSessionId(7), ...SUITE_3, ...fields };
  return await statusOf(PAYLOAD_TYPE.openSessionRequest, encodeOpenSessionRequest(request));
}

/** Sends RAKP 1 in a new handshake and returns the payload of the response. */
async function rakp1(fields: Rakp1Fields, maxPrivilege = 0): Promise<Buffer> {
  const client = bmc.client();
  const { managedId } = await client.open(cipherSuite(3), maxPrivilege);
  return await client.rakp1(managedId, fields);
}

describe('Open Session', () => {
  it.each([
    [0, 4],
    [1, 1],
    [2, 2],
    [4, 4],
    [5, 4],
  ])('grants privilege %i as %i', async (asked, granted) => {
    expect((await bmc.client().open(cipherSuite(17), asked)).maxPrivilege).toBe(granted);
  });

  it.each([
    ['suite 0', { authentication: 0, integrity: 0, confidentiality: 0 }, 0x11],
    ['a privilege that does not exist', { maxPrivilege: 6 }, 0x09],
    ['session ID 0', { consoleId: consoleSessionId(0) }, 0x02],
  ])('rejects %s', async (_name, fields, status) => {
    expect(await openStatus(fields)).toBe(status);
  });

  it('opens 63 sessions, as many as Get Session Info can count', async () => {
    let last = await bmc.loggedIn();
    for (let i = 1; i < 63; i += 1) last = await bmc.loggedIn();
    expect((await last.command(0x06, 0x3d, Buffer.of(63))).data.subarray(1, 3)).toEqual(Buffer.of(63, 63));
    expect(await openStatus({})).toBe(0x01);
  });

  it.each([
    ['an algorithm payload of another type', 8, 0x03],
    ['an algorithm payload of another length', 11, 0x12],
  ])('answers %s', async (_what, at, status) => {
    const request = encodeOpenSessionRequest({ tag: 1, maxPrivilege: 0, consoleId: consoleSessionId(7), ...SUITE_3 });
    request.writeUInt8(5, at);
    expect(await statusOf(PAYLOAD_TYPE.openSessionRequest, request)).toBe(status);
  });

  it('reports that all sessions are in use', async () => {
    bmc = testBmc({ maxSessions: 2 });
    await bmc.loggedIn();
    const second = await bmc.loggedIn();
    expect(await openStatus({})).toBe(0x01);
    await second.logout();
    expect(await openStatus({})).toBe(0x00);
  });
});

describe('RAKP 1', () => {
  it.each([
    ['the name alone', 0x14],
    ['name and privilege', 0x04],
    ['name and a lower privilege', 0x02],
  ])('finds the user by %s', async (_name, role) => {
    expect(decodeRefusal(await rakp1({ role })).status).toBe(0x00);
  });

  it.each([
    ['an unknown user', { username: 'nobody' }, 0x0d, 'UnknownUser'],
    ['a prefix of the name', { username: 'admi' }, 0x0d, 'UnknownUser'],
    ['the null user', { username: '' }, 0x0d, 'UnknownUser'],
    ['OEM privilege', { role: 0x15 }, 0x0a, 'PrivilegeTooHigh'],
    ['no privilege', { role: 0x10 }, 0x09, 'PrivilegeTooHigh'],
    ['a privilege that does not exist', { role: 0x1f }, 0x09, 'PrivilegeTooHigh'],
  ])('rejects %s', async (_name, fields, status, reason) => {
    const answer = await rakp1(fields);
    expect(answer).toHaveLength(8);
    expect(decodeRefusal(answer)).toMatchObject({ tag: 9, status });
    expect(bmc.told.loginFailed.map((failure) => failure.reason)).toEqual([reason]);
  });

  it('rejects more than the privilege of Open Session', async () => {
    expect(decodeRefusal(await rakp1({ role: 0x14 }, 3)).status).toBe(0x0a);
  });

  it.each([
    ['there are no credentials', undefined],
    ['the password is too long for IPMI', { username: 'admin', password: 'p'.repeat(21) }],
  ])('rejects every user while %s', async (_name, credentials) => {
    bmc.accounts = new MemoryAccounts(credentials);
    expect(decodeRefusal(await rakp1({})).status).toBe(0x0d);
  });

  it('reports an unknown session', async () => {
    expect(decodeRefusal(await bmc.client().rakp1(managedSessionId(5))).status).toBe(0x02);
  });

  it('reports names without control characters', async () => {
    await rakp1({ username: 'a\u001b[31m\nü' });
    expect(bmc.told.loginFailed[0]?.login.user).toBe('a?[31m???');
  });

  it('gets the same response if it is retransmitted', async () => {
    const client = bmc.client();
    const { managedId } = await client.open(cipherSuite(3));
    const send = async (fill: number) => await client.rakp1(managedId, { consoleRandom: Buffer.alloc(16, fill) });
    const first = await send(1);
    expect(await send(1)).toEqual(first);
    expect(decodeRakp2(await send(2)).managedRandom).not.toEqual(decodeRakp2(first).managedRandom);
  });
});

describe('RAKP 3', () => {
  it('with a wrong code is rejected with 0x0F and ends the handshake', async () => {
    const attempt = bmc.client().loginBlindly({ ...CREDENTIALS });
    await expect(attempt).rejects.toMatchObject({ step: 'RAKP 4', status: 0x0f });
    expect(bmc.told.loginFailed).toEqual([
      { login: { user: 'admin', peer: PEER, cipherSuite: 17 }, reason: 'WrongPassword' },
    ]);
    expect(bmc.server.sessionCount).toBe(0);
  });

  it('with a code of another length is rejected with 0x0F', async () => {
    const client = bmc.client();
    const { managedId } = await client.open(cipherSuite(3));
    await client.rakp1(managedId);
    const rakp3 = encodeRakp3({ tag: 2, status: 0, managedId, authCode: Buffer.alloc(0) });
    expect(await statusOf(PAYLOAD_TYPE.rakp3, rakp3)).toBe(0x0f);
  });

  it('with an error status counts as a wrong password and gets no response', async () => {
    const client = bmc.client();
    const { managedId } = await client.open(cipherSuite(3));
    await client.rakp1(managedId);
    const rakp3 = encodeRakp3({ tag: 2, status: 0x0f, managedId, authCode: Buffer.alloc(0) });
    await expect(client.sessionless(PAYLOAD_TYPE.rakp3, rakp3)).rejects.toThrow('no answer');
    expect(bmc.told.loginFailed.map((failure) => failure.reason)).toEqual(['WrongPassword']);
  });

  it('that never arrives counts as a wrong password at the timeout', async () => {
    await rakp1({});
    bmc.now += 5_000;
    bmc.server.tick(bmc.now);
    expect(bmc.told.loginFailed).toEqual([]);
    bmc.server.tick(bmc.now + 1);
    expect(bmc.told.loginFailed).toEqual([
      { login: { user: 'admin', peer: PEER, cipherSuite: 3 }, reason: 'WrongPassword' },
    ]);
  });

  it('before RAKP 1 is dropped', async () => {
    const client = bmc.client();
    const { managedId } = await client.open(cipherSuite(3));
    const rakp3 = encodeRakp3({ tag: 2, status: 0, managedId, authCode: Buffer.alloc(20) });
    await expect(client.sessionless(PAYLOAD_TYPE.rakp3, rakp3)).rejects.toThrow('no answer');
    expect(bmc.told.dropped).toEqual(['Malformed']);
  });

  it('is too late after 5 s', async () => {
    const client = bmc.client();
    const { managedId } = await client.open(cipherSuite(3));
    bmc.now += 5_001;
    const rakp3 = encodeRakp3({ tag: 2, status: 0, managedId, authCode: Buffer.alloc(20) });
    expect(await statusOf(PAYLOAD_TYPE.rakp3, rakp3)).toBe(0x02);
  });

  it('gets a lost response again only with the valid code', async () => {
    const client = bmc.client();
    const { keys, managedId } = await client.login(CREDENTIALS);
    const message = { tag: 4, status: 0, managedId };
    const genuine = encodeRakp3({ ...message, authCode: rakp3AuthCode(keys) });
    const forged = encodeRakp3({ ...message, authCode: Buffer.alloc(32) });
    expect(await statusOf(PAYLOAD_TYPE.rakp3, genuine)).toBe(0x00);
    expect(await statusOf(PAYLOAD_TYPE.rakp3, forged)).toBe(0x02);
    expect(bmc.server.sessionCount).toBe(1);
  });
});

describe.each([3, 17] as const)('log-in with suite %i', (suite) => {
  it('authenticates both sides', async () => {
    await bmc.client().login({ ...CREDENTIALS, suite });
    expect(bmc.server.sessionCount).toBe(1);
    expect(bmc.told.loginSucceeded).toEqual([{ user: 'admin', peer: PEER, cipherSuite: suite }]);
  });

  it('lets the client detect a wrong password', async () => {
    const attempt = bmc.client().login({ username: 'admin', password: 'wrong', suite });
    await expect(attempt).rejects.toMatchObject({ step: 'RAKP 2', status: undefined });
  });

  it('lets the client detect a wrong K_G', async () => {
    bmc.bmcKey = Buffer.from('key');
    const wrong = bmc.client().login({ ...CREDENTIALS, kg: 'lock', suite });
    await expect(wrong).rejects.toMatchObject({ step: 'RAKP 4', status: undefined });
    await expect(bmc.client().login({ ...CREDENTIALS, kg: 'key', suite })).resolves.toBeDefined();
  });
});
