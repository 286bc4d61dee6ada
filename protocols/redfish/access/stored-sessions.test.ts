import { beforeEach, describe, expect, it } from 'vitest';
import { MachineError } from '../../machine/index.ts';
import type { StoredSession } from '../state.ts';
import { AccessBench, ADDRESS, refusalOf, settled } from '../testing/access-bench.ts';
import { createAccess } from './access.ts';
import { makeRoom, MAX_SESSIONS, MAX_SESSIONS_OF_ACCOUNT } from './stored-sessions.ts';

let bench: AccessBench;

beforeEach(() => {
  bench = new AccessBench();
});

const TIMEOUT = 30 * 60_000;

function userOf(token: string, access = bench.access): string | undefined {
  try {
    return access.authenticate({ 'x-auth-token': token }, ADDRESS).account.name;
  } catch {
    return undefined;
  }
}

async function open(user = 'admin'): Promise<{ token: string; id: string }> {
  const { token, session } = await bench.access.sessions.open(bench.account(user), ADDRESS, 'a note');
  return { token, id: session.id };
}

describe('a session', () => {
  it('is stored without its token', async () => {
    const { token } = await open();
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    const text = JSON.stringify(bench.state.current());
    expect(text).not.toContain(token);
    expect(text).not.toContain('admin-pass');
    expect(bench.state.current().sessions).toEqual([
      {
        id: '1',
        tokenHash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
        account: 2,
        userName: 'admin',
        address: ADDRESS,
        context: 'a note',
        createdAt: bench.time,
        usedAt: bench.time,
        accountMark: expect.stringMatching(/^Administrator\.[0-9a-f]{64}$/) as unknown,
      },
    ]);
  });

  it('has an ID that was never used before', async () => {
    const { id } = await open();
    await bench.access.sessions.end(id);
    expect((await open()).id).toBe('2');
  });

  it('survives a restart of the process', async () => {
    const { token } = await open();
    bench.access.close();
    expect(userOf(token, createAccess(bench.optionsOn(bench.state)))).toBe('admin');
  });

  it('ends after the timeout without use', async () => {
    const { token } = await open();
    for (let i = 0; i < 5; i += 1) {
      await bench.pass(TIMEOUT - 1);
      expect(userOf(token)).toBe('admin');
    }
    await bench.pass(TIMEOUT);
    expect(userOf(token)).toBeUndefined();
    expect(bench.access.sessions.list()).toEqual([]);
  });

  it('ends after the timeout that clients have set', async () => {
    const { token } = await open();
    await bench.state.change(() => ({ settings: { sessionTimeout: 30 } }));
    bench.time += 29_999;
    expect(userOf(token)).toBe('admin');
    bench.time += 30_000;
    expect(userOf(token)).toBeUndefined();
  });

  it('ends once when it is deleted', async () => {
    const { token, id } = await open();
    expect(await bench.access.sessions.end(id)).toBe(true);
    expect(await bench.access.sessions.end(id)).toBe(false);
    expect([userOf(token), bench.access.sessions.find(id)]).toEqual([undefined, undefined]);
  });

  it.each([
    ['password', { password: Buffer.from('another') }],
    ['role', { role: 'Operator' }],
    ['name', { name: 'boss' }],
    ['right to log in', { enabled: false }],
    ['role, which is taken', { role: 'NoAccess' }],
    ['existence', { name: '' }],
  ] as const)('ends with the %s of its account', async (_name, change) => {
    const { token, id } = await open('chief');
    const other = await open('reader');
    expect(userOf(token)).toBe('chief');
    await bench.change('chief', change);
    expect([userOf(token), bench.access.sessions.find(id)]).toEqual([undefined, undefined]);
    expect(userOf(other.token)).toBe('reader');
    const restarted = createAccess(bench.optionsOn(bench.state));
    expect(userOf(token, restarted)).toBeUndefined();
  });

  it('survives other changes of its account', async () => {
    const { token } = await open('chief');
    await bench.change('chief', { serialOverLan: false });
    expect(userOf(token)).toBe('chief');
  });

  it('is not valid for a later account with the same ID', async () => {
    const { token } = await open('chief');
    const before = bench.account('chief');
    await bench.change('chief', { name: '' });
    await bench.accounts.change(before.id, { ...before, name: 'stranger' });
    expect(userOf(token)).toBeUndefined();
  });

  it('survives a password change that its own user makes through it', async () => {
    const [mine, other] = [await open('chief'), await open('chief')];
    await bench.change('chief', { password: Buffer.from('another') });
    await bench.access.sessions.accountChanged(3, mine.id);
    expect([userOf(mine.token), userOf(other.token)]).toEqual(['chief', undefined]);
    expect(bench.state.current().sessions).toHaveLength(1);
    expect(userOf(mine.token, createAccess(bench.optionsOn(bench.state)))).toBe('chief');
  });

  it('ends with its account, also if it was used to delete it', async () => {
    const { id } = await open('chief');
    await bench.change('chief', { name: '' });
    await bench.access.sessions.accountChanged(3, id);
    expect(bench.state.current().sessions).toEqual([]);
  });
});

describe('sessions', () => {
  it('are not stored for accounts that do not exist', async () => {
    await open();
    const before = bench.state.current();
    await bench.access.sessions.accountChanged(3);
    expect(bench.state.current()).toBe(before);
  });

  it('are refused by a process that shuts down', async () => {
    bench.admitsLogins = false;
    expect(await refusalOf(() => open())).toBe('503 ServiceTemporarilyUnavailable, retry after 5 s');
  });

  it('are limited to 16 per account; other accounts can still log in', async () => {
    const opened = [];
    for (let i = 0; i < 16; i += 1) opened.push(await open());
    bench.time += 59_999;
    expect(await refusalOf(() => open())).toBe('503 SessionLimitExceeded, retry after 60 s');
    expect(opened.map(({ token }) => userOf(token))).toEqual(Array(16).fill('admin'));
    expect(userOf((await open('reader')).token)).toBe('reader');
    expect(bench.told).toEqual([]);
  });

  it('at the account limit end the idle ones, which is audited', async () => {
    const opened = [];
    for (let i = 0; i < 16; i += 1) opened.push(await open());
    const reader = await open('reader');
    bench.time += 60_000;
    const [first, second] = opened;
    expect(userOf(first?.token ?? '')).toBe('admin');
    await open();
    const tokens = [first, second, reader].map((one) => userOf(one?.token ?? ''));
    expect(tokens).toEqual(['admin', undefined, 'reader']);
    expect(bench.told).toEqual([
      `admin@${ADDRESS} an idle session of "admin" was ended: the session limit was reached`,
    ]);
  });

  it('that have ended free their place', async () => {
    for (let i = 0; i < 16; i += 1) await open();
    bench.time += TIMEOUT;
    await open();
    expect(bench.state.current().sessions).toHaveLength(1);
  });

  it('are not opened if they cannot be stored', async () => {
    bench.state.nextError = new MachineError('Unavailable', 'the API server is away');
    await expect(open()).rejects.toThrow('the API server is away');
    expect(bench.access.sessions.list()).toEqual([]);
  });

  it('are removed within a minute of their end', async () => {
    await open();
    bench.time += TIMEOUT - 30_000;
    const later = await open('reader');
    await bench.pass(60_000);
    expect(bench.state.current().sessions?.map(({ id }) => id)).toEqual([later.id]);
    expect(bench.scheduled).toBeGreaterThan(0);
  });

  it('are removed only by the active process', async () => {
    await open();
    bench.admitsLogins = false;
    await bench.pass(TIMEOUT);
    expect(bench.state.current().sessions).toHaveLength(1);
  });

  it('are removed later after a failure', async () => {
    await open();
    bench.time += TIMEOUT;
    bench.state.nextError = new MachineError('Unavailable', 'the API server is away');
    await bench.pass(0);
    await bench.pass(60_000);
    expect(bench.failures).toHaveLength(1);
    expect(bench.state.current().sessions).toEqual([]);
  });

  it('are kept while there is no account at all', async () => {
    const { token } = await open();
    bench.accounts.list = () => [];
    await bench.pass(60_000);
    expect(bench.state.current().sessions).toHaveLength(1);
    expect(userOf(token)).toBeUndefined();
  });

  it('are not checked any more after close', () => {
    bench.access.close();
    expect(bench.scheduled).toBe(0);
  });
});

describe('the last use of a session', () => {
  const usedAt = () => bench.state.current().sessions?.[0]?.usedAt;

  it('is stored periodically, not for each request', async () => {
    const { token } = await open();
    const begin = bench.time;
    bench.time += TIMEOUT / 4 - 1;
    userOf(token);
    await settled();
    expect(usedAt()).toBe(begin);
    bench.time += 1;
    userOf(token);
    userOf(token);
    await settled();
    expect(usedAt()).toBe(begin + TIMEOUT / 4);
  });

  it('is stored later after a failure', async () => {
    const { token } = await open();
    const begin = bench.time;
    bench.time += TIMEOUT / 2;
    bench.state.nextError = new MachineError('Unavailable', 'the API server is away');
    for (const wait of [0, 9_999]) {
      bench.time += wait;
      expect(userOf(token)).toBe('admin');
      await settled();
    }
    expect([bench.failures.length, usedAt()]).toEqual([1, begin]);
    bench.time += 1;
    userOf(token);
    await settled();
    expect(usedAt()).toBe(bench.time);
  });
});

function aSession(id: number, account = 2): StoredSession {
  return {
    id: String(id),
    tokenHash: '',
    account,
    userName: '',
    address: '',
    createdAt: 0,
    usedAt: 0,
    accountMark: '',
  };
}

/** Sessions of accounts 2 to 6; the last account has four. */
const full = Array.from({ length: MAX_SESSIONS }, (_, i) => aSession(i, 2 + Math.floor(i / 15)));

describe('makeRoom', () => {
  it('keeps all sessions while there are free places', () => {
    const some = full.slice(1);
    expect(makeRoom(some, 2, () => 0)).toBe(some);
  });

  it('ends the least recently used session of the same account', () => {
    const left = makeRoom(full, 3, ({ id }) => 100_000 - Number(id));
    expect(left).toEqual(full.filter(({ id }) => id !== '15'));
  });

  it('ends a session of another account if the account has none', () => {
    const left = makeRoom(full, 9, ({ id }) => 60_000 + Number(id));
    expect(left).toEqual(full.slice(0, -1));
  });

  it('ends only sessions of the account itself if it has reached its limit', () => {
    const greedy = Array.from({ length: MAX_SESSIONS_OF_ACCOUNT }, (_, i) => aSession(i));
    const others = [aSession(100, 3), aSession(101, 3)];
    expect(makeRoom([...greedy, ...others], 2, ({ account }) => (account === 2 ? 59_999 : 1_000_000))).toBeUndefined();
    const idle = ({ id }: StoredSession): number => (id === '5' ? 60_000 : 0);
    expect(makeRoom([...greedy, ...others], 2, idle)).toEqual([...greedy.filter(({ id }) => id !== '5'), ...others]);
    expect(makeRoom(greedy.slice(1), 2, () => 0)).toEqual(greedy.slice(1));
    expect(makeRoom(greedy, 3, () => 0)).toBe(greedy);
  });

  it('does not end sessions in use', () => {
    expect(makeRoom(full, 2, () => 59_999)).toBeUndefined();
  });

  it('ends all idle sessions above the limit', () => {
    const many = [...full, aSession(64, 6), aSession(65, 6)];
    expect(makeRoom(many, 7, () => 60_000)).toHaveLength(MAX_SESSIONS - 1);
    expect(makeRoom(many, 7, ({ id }) => (id === '0' ? 60_000 : 0))).toBeUndefined();
  });
});
