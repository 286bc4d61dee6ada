import { beforeEach, describe, expect, it } from 'vitest';
import { AccessBench, ADDRESS } from '../testing/access-bench.ts';
import { anonymous } from './authenticator.ts';

let bench: AccessBench;

beforeEach(() => {
  bench = new AccessBench();
});

const SESSIONS = '/SessionService/Sessions';

async function logIn(properties: object) {
  return await bench.at(SESSIONS).create?.apply({ ...properties }, anonymous(ADDRESS));
}

describe('SessionService', () => {
  it('shows and sets the session timeout', async () => {
    const service = bench.at('/SessionService');
    expect(await service.read()).toMatchObject({ ServiceEnabled: true, SessionTimeout: 1800 });
    await service.patch?.apply({ SessionTimeout: 90 }, bench.caller('admin'));
    expect(await service.read()).toMatchObject({ SessionTimeout: 90 });
    expect(bench.state.current().settings).toEqual({ sessionTimeout: 90 });
    expect(bench.told).toEqual([`admin@${ADDRESS} sessions now end after 90 s without use`]);
  });

  it('stores nothing if nothing changes', async () => {
    await bench.at('/SessionService').patch?.apply({ SessionTimeout: 1800 }, bench.caller('admin'));
    await bench.at('/SessionService').patch?.apply({}, bench.caller('admin'));
    expect([bench.told, bench.state.current()]).toEqual([[], {}]);
  });
});

describe('a log-in', () => {
  it('opens a session and returns its token to the client only', async () => {
    const created = await logIn({ UserName: 'reader', Password: 'reader-pass', Context: 'from a script' });
    expect(created).toEqual({
      uri: '/redfish/v1/SessionService/Sessions/1',
      headers: { 'X-Auth-Token': expect.any(String) as string },
    });
    const token = created?.headers?.['X-Auth-Token'] ?? '';
    expect(bench.access.authenticate({ 'x-auth-token': token }, ADDRESS).account.name).toBe('reader');
    expect(await bench.at(`${SESSIONS}/1`).read()).toMatchObject({
      ...{ Id: '1', UserName: 'reader', Password: null, SessionType: 'Redfish', ClientOriginIPAddress: ADDRESS },
      ...{ CreatedTime: '2026-11-22T01:02:03Z', Context: 'from a script', Roles: ['ReadOnly'] },
    });
    expect(bench.told).toEqual([`reader@${ADDRESS} logged in`]);
  });

  it('reports that the password must be changed first', async () => {
    await bench.state.change(() => ({ settings: { passwordChangeRequired: [5] } }));
    const created = await logIn({ UserName: 'reader', Password: 'reader-pass' });
    expect(created?.messages).toMatchObject([
      {
        MessageId: expect.stringMatching(/PasswordChangeRequired$/) as unknown,
        MessageArgs: ['/redfish/v1/AccountService/Accounts/5'],
      },
    ]);
  });
});

describe('sessions', () => {
  it('are listed while they are active', async () => {
    await logIn({ UserName: 'reader', Password: 'reader-pass' });
    await logIn({ UserName: 'admin', Password: 'admin-pass' });
    expect(
      bench
        .at(SESSIONS)
        .members?.()
        .map(({ uri }) => uri),
    ).toEqual(['/redfish/v1/SessionService/Sessions/1', '/redfish/v1/SessionService/Sessions/2']);
    bench.time += 1_800_000;
    expect(bench.at(SESSIONS).members?.()).toEqual([]);
    expect(bench.has(`${SESSIONS}/1`)).toBe(false);
  });

  it('can be ended by their users or an administrator; the latter is audited', async () => {
    await logIn({ UserName: 'reader', Password: 'reader-pass' });
    await logIn({ UserName: 'reader', Password: 'reader-pass' });
    const [first, second] = [bench.at(`${SESSIONS}/1`), bench.at(`${SESSIONS}/2`)];
    expect([first.isOwn?.(bench.caller('reader')), first.isOwn?.(bench.caller('operator'))]).toEqual([true, false]);
    bench.told.length = 0;
    await first.delete?.(bench.caller('reader'));
    await second.delete?.(bench.caller('admin'));
    expect(bench.access.sessions.list()).toEqual([]);
    expect(bench.told).toEqual([`admin@${ADDRESS} the session 2 of reader was ended`]);
  });

  it('show no role if the account no longer exists', async () => {
    await logIn({ UserName: 'reader', Password: 'reader-pass' });
    const resource = bench.at(`${SESSIONS}/1`);
    await bench.change('reader', { name: '' });
    expect(await resource.read()).toMatchObject({ Roles: [], Context: null });
  });
});
