import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { AccessBench, ADDRESS, basic, OTHER_ADDRESS, refusalOf } from '../testing/access-bench.ts';
import { basicCredentials } from './authenticator.ts';

let bench: AccessBench;

beforeEach(() => {
  bench = new AccessBench();
});

describe('Basic authentication', () => {
  it('identifies the account by its name', () => {
    expect(bench.access.authenticate(basic('operator'), ADDRESS)).toEqual({
      account: expect.objectContaining({ id: 4, role: 'Operator' }) as unknown,
      requester: { protocol: 'Redfish', user: 'operator', address: ADDRESS },
    });
  });

  it('is audited once in ten minutes, not for each request', () => {
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
    expect(await refusalOf(() => bench.access.authenticate(headers, ADDRESS))).toBe('401 NoValidSession');
    expect(bench.told).toEqual([expect.stringContaining(`@${ADDRESS} ${why}`)]);
  });

  it.each([
    ['no password', undefined],
    ['an empty password', Buffer.alloc(0)],
  ])('is refused if the account has %s', async (_name, password) => {
    await bench.change('chief', { password });
    for (const guess of ['', 'undefined', 'chief-pass']) {
      const refusal = await refusalOf(() => bench.access.authenticate(basic('chief', guess), ADDRESS));
      expect(refusal).toBe('401 NoValidSession');
    }
  });

  it('is audited with an escaped user name', async () => {
    await refusalOf(() => bench.access.authenticate(basic(`a\n\u202eb${'x'.repeat(100)}`), ADDRESS));
    expect(bench.told).toEqual([`a??b${'x'.repeat(60)}@${ADDRESS} UnknownUser`]);
  });
});

describe('unreadable credentials', () => {
  it.each([
    ['no headers', {}],
    ['another scheme', { authorization: 'Bearer abc' }],
    ['an unknown token', { 'x-auth-token': 'abc' }],
    ['several tokens', { 'x-auth-token': ['a', 'b'] }],
  ])('are refused: %s', async (_name, headers) => {
    const refusal = await refusalOf(() => bench.access.authenticate(headers, ADDRESS));
    expect(refusal).toBe('401 NoValidSession');
    expect(bench.told).toEqual([]);
  });
});

describe('a session token', () => {
  it('identifies the user of the session', async () => {
    const { token, session } = await bench.access.sessions.open(bench.account('reader'), ADDRESS);
    expect(bench.access.authenticate({ 'x-auth-token': token }, OTHER_ADDRESS)).toMatchObject({
      account: { name: 'reader' },
      session: session.id,
      requester: { user: 'reader', address: OTHER_ADDRESS },
    });
  });

  it('falls back to the password in the same request if the session has ended', async () => {
    const { token, session } = await bench.access.sessions.open(bench.account('reader'), ADDRESS);
    const headers = { 'x-auth-token': token, ...basic('admin') };
    expect(bench.access.authenticate(headers, ADDRESS).account.name).toBe('reader');
    await bench.access.sessions.end(session.id);
    const caller = bench.access.authenticate(headers, ADDRESS);
    expect([caller.account.name, caller.session]).toEqual(['admin', undefined]);
  });
});

describe('a user that must change the password', () => {
  it('is marked, with Basic authentication and with a session', async () => {
    const { token } = await bench.access.sessions.open(bench.account('reader'), ADDRESS);
    await bench.state.change(() => ({ settings: { passwordChangeRequired: [5] } }));
    for (const headers of [basic('reader'), { 'x-auth-token': token }]) {
      expect(bench.access.authenticate(headers, ADDRESS).mustChangePassword).toBe(true);
    }
    expect(bench.access.authenticate(basic('admin'), ADDRESS)).not.toHaveProperty('mustChangePassword');
  });
});

describe('a client that guesses passwords', () => {
  const guess = (password = 'wrong', address = ADDRESS) =>
    refusalOf(() => bench.access.authenticate(basic('admin', password), address));

  it('is locked out without a distinct error, and admitted after the lockout', async () => {
    for (let i = 0; i < 5; i += 1) await guess();
    expect(await guess('admin-pass')).toBe('401 NoValidSession');
    expect(bench.told.slice(-2)).toEqual([`admin@${ADDRESS} WrongPassword`, `admin@${ADDRESS} LockedOut`]);
    expect(bench.access.logins.isLockedOut(2)).toBe(true);
    expect(await guess('admin-pass', OTHER_ADDRESS)).toBe('none');
    bench.time += 60_000;
    expect(await guess('admin-pass')).toBe('none');
    expect(bench.access.logins.isLockedOut(2)).toBe(false);
  });

  it('delays other users of a shared source, with Retry-After', async () => {
    bench.access.authenticate(basic('reader'), ADDRESS);
    for (let i = 0; i < 6; i += 1) await guess();
    expect(await guess('admin-pass')).toBe('429 ServiceTemporarilyUnavailable, retry after 1 s');
    bench.time += 1_000;
    expect(await guess('admin-pass')).toBe('none');
  });

  it.each([
    ['has logged in', () => Promise.resolve(bench.access.authenticate(basic('admin'), ADDRESS))],
    [
      'has used a session',
      async () => {
        const { token } = await bench.access.sessions.open(bench.account('admin'), OTHER_ADDRESS);
        bench.access.authenticate({ 'x-auth-token': token }, ADDRESS);
      },
    ],
  ])('neither locks out nor slows a user of the same account and address who %s recently', async (_how, before) => {
    await before();
    for (let i = 0; i < 40; i += 1) {
      const refused = await guess();
      expect(refused).toBe(i < 5 ? '401 NoValidSession' : '429 ServiceTemporarilyUnavailable, retry after 1 s');
      expect(await guess('admin-pass')).toBe('none');
    }
  });

  it('does not affect sessions', async () => {
    const { token } = await bench.access.sessions.open(bench.account('admin'), ADDRESS);
    for (let i = 0; i < 6; i += 1) await guess();
    expect(bench.access.authenticate({ 'x-auth-token': token }, ADDRESS).account.name).toBe('admin');
  });

  it('is locked out according to the settings of clients', async () => {
    await bench.state.change(() => ({ settings: { accountLockoutThreshold: 2, accountLockoutDuration: 10 } }));
    await guess();
    await guess();
    expect(await guess('admin-pass')).toBe('401 NoValidSession');
    bench.time += 10_000;
    expect(await guess('admin-pass')).toBe('none');
  });

  it.each([{ accountLockoutThreshold: 0 }, { accountLockoutDuration: 0 }])(
    'is never locked out if clients have set %s',
    async (settings) => {
      await bench.state.change(() => ({ settings }));
      for (let i = 0; i < 50; i += 1) await guess();
      expect(await guess('admin-pass')).toBe('none');
    },
  );

  it('can be unlocked by an administrator', async () => {
    for (let i = 0; i < 5; i += 1) await guess();
    bench.access.logins.unlock(2);
    expect(await guess('admin-pass')).toBe('none');
  });
});

const encoded = (text: string): string => Buffer.from(text).toString('base64');

describe('the Basic scheme', () => {
  it.each([
    ['user:secret', 'user', 'secret'],
    ['user:se:cret', 'user', 'se:cret'],
    ['user:', 'user', ''],
    [':secret', '', 'secret'],
    ['jürgen:größe', 'jürgen', 'größe'],
  ])('reads %s', (text, userName, password) => {
    expect(basicCredentials(`Basic ${encoded(text)}`)).toEqual({ userName, password: Buffer.from(password) });
  });

  it('is recognized in upper and lower case', () => {
    expect(basicCredentials(`basic  ${encoded('a:b')} `)).toMatchObject({ userName: 'a' });
  });

  it.each([
    '',
    'Basic',
    'Basic ',
    'Basic !!!',
    `Basic ${encoded('nocolon')}`,
    `Bearer ${encoded('a:b')}`,
    'Digest a="b"',
  ])('yields no credentials for %s', (header) => {
    expect(basicCredentials(header)).toBeUndefined();
  });
});

/** The visible result of a log-in attempt. */
function seen(user: string, password: string, address: string, at = bench): object {
  try {
    return { account: at.access.authenticate(basic(user, password), address).account.name };
  } catch (error) {
    const { status, messages, headers } = error as { status?: number; messages?: unknown; headers?: unknown };
    return { status, messages, headers };
  }
}

const anAddress = fc.constantFrom(ADDRESS, OTHER_ADDRESS);
const aStep = fc.oneof(
  { weight: 6, arbitrary: fc.record({ user: fc.constantFrom('chief', 'admin', 'made-up'), address: anAddress }) },
  { weight: 1, arbitrary: fc.record({ user: fc.constant('reader'), address: anAddress, isRight: fc.constant(true) }) },
  { weight: 2, arbitrary: fc.record({ wait: fc.constantFrom(500, 1_000, 9_000, 61_000, 3_600_001) }) },
);

describe('a client that guesses passwords', () => {
  it('cannot distinguish users that exist from users that do not', async () => {
    const property = fc.asyncProperty(fc.array(aStep, { maxLength: 80 }), async (steps) => {
      const [there, gone] = [new AccessBench(), new AccessBench()];
      await gone.change('chief', { name: '' });
      for (const step of steps) {
        if ('wait' in step) {
          for (const at of [there, gone]) at.time += step.wait;
          continue;
        }
        const password = 'isRight' in step ? `${step.user}-pass` : 'wrong';
        const [one, other] = [there, gone].map((at) => seen(step.user, password, step.address, at));
        expect(other).toEqual(one);
      }
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it('is delayed at a shared source for all users', () => {
    bench.access.authenticate(basic('reader'), ADDRESS);
    for (let i = 0; i < 6; i += 1) seen('made-up', 'wrong', ADDRESS);
    expect(seen('made-up', 'wrong', ADDRESS)).toMatchObject({ status: 429, headers: { 'Retry-After': '1' } });
  });

  it('cannot avoid the lockout of a user with invented names', () => {
    seen('made-up', 'wrong', ADDRESS);
    for (let i = 0; i < 5; i += 1) seen('admin', 'wrong', ADDRESS);
    for (let i = 0; i < 3_000; i += 1) seen(`made-up-${i}`, 'wrong', ADDRESS);
    expect(seen('admin', 'admin-pass', ADDRESS)).toMatchObject({ status: 401 });
    expect(bench.access.logins.isLockedOut(2)).toBe(true);
  });
});
