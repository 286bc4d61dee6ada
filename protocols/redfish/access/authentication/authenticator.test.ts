import { describe, expect, it } from 'vitest';
import { AccessBench, ADDRESS, basic, OTHER_ADDRESS, refusalOf } from '../testing/access-bench.ts';

describe('somebody who sends user name and password', () => {
  it('is the account of that name', () => {
    const { access } = new AccessBench();
    expect(access.authenticate(basic('operator'), ADDRESS)).toEqual({
      account: expect.objectContaining({ id: 4, role: 'Operator' }) as unknown,
      requester: { protocol: 'Redfish', user: 'operator', address: ADDRESS },
    });
  });

  it('is news once in ten minutes, and not with each request', () => {
    const bench = new AccessBench();
    const ask = () => bench.access.authenticate(basic('admin'), ADDRESS);
    ask();
    bench.time += 10 * 60_000 - 1;
    ask();
    bench.access.authenticate(basic('admin'), OTHER_ADDRESS);
    bench.time += 1;
    ask();
    expect(bench.told).toEqual([
      `admin@${ADDRESS} logged in`,
      `admin@${OTHER_ADDRESS} logged in`,
      `admin@${ADDRESS} logged in`,
    ]);
  });

  it.each([
    ['a wrong password', basic('admin', 'wrong'), 'WrongPassword'],
    ['an empty password', basic('admin', ''), 'WrongPassword'],
    ['a user who does not exist', basic('nobody'), 'UnknownUser'],
    ['a disabled account', basic('leaver'), 'Refused'],
    ['an account without access', basic('outsider'), 'Refused'],
  ])('is refused with %s', async (_name, headers, why) => {
    const bench = new AccessBench();
    expect(await refusalOf(() => bench.access.authenticate(headers, ADDRESS))).toMatchObject({
      status: 401,
      ids: ['NoValidSession'],
    });
    expect(bench.told).toEqual([expect.stringContaining(`@${ADDRESS} ${why}`)]);
  });

  it.each([
    ['none', undefined],
    ['an empty one', Buffer.alloc(0)],
  ])('is refused where the account has %s of a password', async (_name, password) => {
    const bench = new AccessBench();
    await bench.change('chief', { password });
    for (const guess of ['', 'undefined', 'chief-pass']) {
      const refusal = await refusalOf(() => bench.access.authenticate(basic('chief', guess), ADDRESS));
      expect(refusal.status).toBe(401);
    }
  });

  it('is told of by a name that cannot break a log', async () => {
    const bench = new AccessBench();
    await refusalOf(() => bench.access.authenticate(basic(`a\n\u202eb${'x'.repeat(100)}`), ADDRESS));
    expect(bench.told).toEqual([`a??b${'x'.repeat(60)}@${ADDRESS} UnknownUser`]);
  });
});

describe('somebody who sends no credentials that can be read', () => {
  it.each([
    ['nothing', {}],
    ['another scheme', { authorization: 'Bearer abc' }],
    ['a token that there is none of', { 'x-auth-token': 'abc' }],
    ['several tokens', { 'x-auth-token': ['a', 'b'] }],
  ])('is refused: %s', async (_name, headers) => {
    const bench = new AccessBench();
    const refusal = await refusalOf(() => bench.access.authenticate(headers, ADDRESS));
    expect(refusal).toMatchObject({ status: 401, ids: ['NoValidSession'] });
    expect(bench.told).toEqual([]);
  });
});

describe('somebody who sends a token', () => {
  it('is who opened the session', async () => {
    const bench = new AccessBench();
    const { token, session } = await bench.access.sessions.open(bench.account('reader'), ADDRESS);
    expect(bench.access.authenticate({ 'x-auth-token': token }, OTHER_ADDRESS)).toMatchObject({
      account: { name: 'reader' },
      session: session.id,
      requester: { user: 'reader', address: OTHER_ADDRESS },
    });
  });

  it('may send a password too, which counts where the session has ended', async () => {
    const bench = new AccessBench();
    const { token, session } = await bench.access.sessions.open(bench.account('reader'), ADDRESS);
    const headers = { 'x-auth-token': token, ...basic('admin') };
    expect(bench.access.authenticate(headers, ADDRESS).account.name).toBe('reader');
    await bench.access.sessions.end(session.id);
    const caller = bench.access.authenticate(headers, ADDRESS);
    expect([caller.account.name, caller.session]).toEqual(['admin', undefined]);
  });
});

describe('somebody who has to change the password', () => {
  it('is marked, however the log-in was', async () => {
    const bench = new AccessBench();
    const { token } = await bench.access.sessions.open(bench.account('reader'), ADDRESS);
    await bench.state.change(() => ({ settings: { passwordChangeRequired: [5] } }));
    for (const headers of [basic('reader'), { 'x-auth-token': token }]) {
      expect(bench.access.authenticate(headers, ADDRESS).mustChangePassword).toBe(true);
    }
    expect(bench.access.authenticate(basic('admin'), ADDRESS)).not.toHaveProperty('mustChangePassword');
  });
});

describe('somebody who guesses passwords', () => {
  const guess = (bench: AccessBench, password = 'wrong', address = ADDRESS) =>
    refusalOf(() => bench.access.authenticate(basic('admin', password), address));

  it('is locked out, as seen by nobody but him, and let in after the time', async () => {
    const bench = new AccessBench();
    for (let i = 0; i < 5; i += 1) await guess(bench);
    expect(await guess(bench, 'admin-pass')).toMatchObject({ status: 401, ids: ['NoValidSession'] });
    expect(bench.told.slice(-2)).toEqual([`admin@${ADDRESS} WrongPassword`, `admin@${ADDRESS} LockedOut`]);
    expect(bench.access.logins.isLockedOut(2)).toBe(true);
    expect(await guess(bench, 'admin-pass', OTHER_ADDRESS)).toEqual({ ids: [], headers: {} });
    bench.time += 60_000;
    expect(await guess(bench, 'admin-pass')).toEqual({ ids: [], headers: {} });
    expect(bench.access.logins.isLockedOut(2)).toBe(false);
  });

  it('makes others at a shared source wait, and is told for how long', async () => {
    const bench = new AccessBench();
    bench.access.authenticate(basic('reader'), ADDRESS);
    for (let i = 0; i < 6; i += 1) await guess(bench);
    expect(await guess(bench, 'admin-pass')).toEqual({
      status: 429,
      ids: ['ServiceTemporarilyUnavailable'],
      headers: { 'Retry-After': '1' },
    });
    bench.time += 1_000;
    expect(await guess(bench, 'admin-pass')).toEqual({ ids: [], headers: {} });
  });

  it('does not hit sessions', async () => {
    const bench = new AccessBench();
    const { token } = await bench.access.sessions.open(bench.account('admin'), ADDRESS);
    for (let i = 0; i < 6; i += 1) await guess(bench);
    expect(bench.access.authenticate({ 'x-auth-token': token }, ADDRESS).account.name).toBe('admin');
  });

  it('is locked out as clients have set it', async () => {
    const bench = new AccessBench();
    await bench.state.change(() => ({ settings: { accountLockoutThreshold: 2, accountLockoutDuration: 10 } }));
    await guess(bench);
    await guess(bench);
    expect((await guess(bench, 'admin-pass')).status).toBe(401);
    bench.time += 10_000;
    expect((await guess(bench, 'admin-pass')).status).toBeUndefined();
  });

  it.each([{ accountLockoutThreshold: 0 }, { accountLockoutDuration: 0 }])(
    'is never locked out where clients have set %s',
    async (settings) => {
      const bench = new AccessBench();
      await bench.state.change(() => ({ settings }));
      for (let i = 0; i < 50; i += 1) await guess(bench);
      expect((await guess(bench, 'admin-pass')).status).toBeUndefined();
    },
  );

  it('can be let in again by an administrator', async () => {
    const bench = new AccessBench();
    for (let i = 0; i < 5; i += 1) await guess(bench);
    bench.access.logins.unlock(2);
    expect((await guess(bench, 'admin-pass')).status).toBeUndefined();
  });
});
