import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRedfishService, type RedfishService } from '../service/redfish-service.ts';
import { AccessBench, basic } from '../testing/access-bench.ts';
import { askAt, type Listening, listening, type Reply } from '../testing/index.ts';

const SESSIONS = '/redfish/v1/SessionService/Sessions';
const ACCOUNTS = '/redfish/v1/AccountService/Accounts';

let bench: AccessBench;
let service: RedfishService;
let server: Listening;

beforeEach(async () => {
  bench = new AccessBench();
  service = createRedfishService(bench.optionsOn(bench.state));
  server = await listening(createServer(service.handler));
});

afterEach(async () => {
  await server[Symbol.asyncDispose]();
  service.close();
});

async function ask(request: string, headers: Record<string, string>, body?: object): Promise<Reply> {
  return await askAt(server.url, request, body, headers);
}

async function logIn(user: string, password = `${user}-pass`): Promise<{ token: string; uri: string; reply: Reply }> {
  const reply = await ask(`POST ${SESSIONS}`, {}, { UserName: user, Password: password });
  return { token: reply.headers.get('x-auth-token') ?? '', uri: reply.headers.get('location') ?? '', reply };
}

describe('a session', () => {
  it('is created with a valid password and deleted by its user', async () => {
    const { token, uri, reply } = await logIn('reader');
    expect([reply.status, uri]).toEqual([201, `${SESSIONS}/1`]);
    expect(reply.json).toMatchObject({ '@odata.id': uri, UserName: 'reader', Password: null });
    expect(reply.text).not.toContain(token);
    expect((await ask(`GET ${uri}`, { 'X-Auth-Token': token })).status).toBe(200);
    expect((await ask(`DELETE ${uri}`, basic('operator'))).status).toBe(403);
    expect((await ask(`DELETE ${uri}`, { 'X-Auth-Token': token })).status).toBe(204);
    expect((await ask(`GET ${SESSIONS}`, { 'X-Auth-Token': token })).status).toBe(401);
    expect((await ask(`GET ${uri}`, basic('admin'))).status).toBe(404);
  });

  it('is also created by POST to Members', async () => {
    const reply = await ask(`POST ${SESSIONS}/Members`, {}, { UserName: 'admin', Password: 'admin-pass' });
    expect([reply.status, reply.headers.get('location')]).toEqual([201, `${SESSIONS}/1`]);
  });

  it('is refused with the same error for every wrong credential', async () => {
    const { reply } = await logIn('reader', 'a wrong guess');
    expect([reply.status, reply.headers.get('x-auth-token')]).toEqual([401, null]);
    expect(reply.headers.get('www-authenticate')).toContain('Basic');
    expect(reply.text).not.toContain('a wrong guess');
    const incomplete = await ask(`POST ${SESSIONS}`, {}, { UserName: 'reader' });
    expect(incomplete.status).toBe(400);
  });
});

describe('an account', () => {
  it('is created, changed and deleted', async () => {
    const admin = basic('admin');
    const properties = { UserName: 'made', Password: 'made-pass', RoleId: 'ReadOnly' };
    const made = await ask(`POST ${ACCOUNTS}`, admin, properties);
    expect([made.status, made.headers.get('location')]).toEqual([201, `${ACCOUNTS}/8`]);
    expect(made.json).toMatchObject({ UserName: 'made', RoleId: 'ReadOnly', Enabled: true, Password: null });
    const changed = await ask(`PATCH ${ACCOUNTS}/8`, admin, { RoleId: 'Operator' });
    expect(changed.json).toMatchObject({ RoleId: 'Operator' });
    expect((await ask(`DELETE ${ACCOUNTS}/8`, admin)).status).toBe(204);
    expect((await ask(`GET ${ACCOUNTS}/8`, admin)).status).toBe(404);
  });

  it.each([
    ['an empty object', {}],
    ['no role', { UserName: 'made', Password: 'made-pass' }],
    ['an unknown role', { UserName: 'made', Password: 'made-pass', RoleId: 'Emperor' }],
    ['a name that Basic authentication cannot send', { UserName: 'a:b', Password: 'made-pass', RoleId: 'Operator' }],
    ['a password of seven characters', { UserName: 'made', Password: 'seven77', RoleId: 'Operator' }],
    ['an empty password', { UserName: 'made', Password: '', RoleId: 'Operator' }],
    ['null as the password', { UserName: 'made', Password: null, RoleId: 'Operator' }],
    [
      'account types that are not a list',
      { UserName: 'made', Password: 'made-pass', RoleId: 'Operator', AccountTypes: 'Redfish' },
    ],
  ])('is not created from %s', async (_name, properties) => {
    expect((await ask(`POST ${ACCOUNTS}`, basic('admin'), properties)).status).toBe(400);
    expect(bench.accounts.list()).toHaveLength(6);
  });

  it('is readable for other users only with the privilege', async () => {
    const reader = basic('reader');
    expect((await ask(`GET ${ACCOUNTS}/3`, reader)).status).toBe(403);
    const list = await ask(`GET ${ACCOUNTS}?$expand=*`, reader);
    expect([list.status, list.text.includes('"UserName":"chief"')]).toEqual([200, false]);
    expect((await ask(`PATCH ${ACCOUNTS}/5`, reader, { Password: 'mine now' })).status).toBe(200);
    expect((await ask(`GET ${ACCOUNTS}/5`, basic('reader', 'mine now'))).status).toBe(200);
  });

  it('of the owner can be neither changed nor deleted', async () => {
    const admin = basic('admin');
    const changed = await ask(`PATCH ${ACCOUNTS}/2`, admin, { Password: 'another one' });
    expect([changed.status, changed.text.includes('The owner manages this account.')]).toEqual([400, true]);
    const removed = await ask(`DELETE ${ACCOUNTS}/2`, admin);
    expect([removed.status, removed.headers.get('allow')?.includes('DELETE')]).toEqual([405, false]);
  });
});

describe('settings', () => {
  it('can be changed by administrators, within limits', async () => {
    const patch = (headers: Record<string, string>, body: object) =>
      ask('PATCH /redfish/v1/SessionService', headers, body);
    expect((await patch(basic('operator'), { SessionTimeout: 90 })).status).toBe(403);
    expect((await patch(basic('admin'), { SessionTimeout: 29 })).status).toBe(400);
    expect((await patch(basic('admin'), { SessionTimeout: 90 })).json).toMatchObject({ SessionTimeout: 90 });
    const lockout = await ask('PATCH /redfish/v1/AccountService', basic('admin'), { AccountLockoutThreshold: 2 });
    expect(lockout.json).toMatchObject({ AccountLockoutThreshold: 2, AccountLockoutDuration: 60 });
    const shorter = await ask('PATCH /redfish/v1/AccountService', basic('admin'), { MinPasswordLength: 4 });
    expect(shorter.json).toMatchObject({ MinPasswordLength: 4 });
    expect((await ask(`PATCH ${ACCOUNTS}/5`, basic('admin'), { Password: 'four' })).status).toBe(200);
    expect((await ask('PATCH /redfish/v1/AccountService', basic('admin'), { MinPasswordLength: 21 })).status).toBe(400);
  });

  it('of roles do not exist', async () => {
    const role = '/redfish/v1/AccountService/Roles/Operator';
    expect((await ask(`PATCH ${role}`, basic('admin'), { AssignedPrivileges: [] })).status).toBe(405);
    expect((await ask(`DELETE ${role}`, basic('admin'))).status).toBe(405);
  });
});
