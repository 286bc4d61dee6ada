import { beforeEach, describe, expect, it } from 'vitest';
import { AccountError } from '../../accounts.ts';
import { MachineError } from '../../machine/index.ts';
import type { JsonObject } from '../json.ts';
import { AccessBench, ADDRESS, basic, refusalOf } from '../testing/access-bench.ts';

let bench: AccessBench;

beforeEach(() => {
  bench = new AccessBench();
});

const ACCOUNTS = '/AccountService/Accounts';
const NEW = { UserName: 'made', Password: 'made-pass', RoleId: 'Operator' };

async function create(properties: JsonObject): Promise<string | undefined> {
  return (await bench.at(ACCOUNTS).create?.apply(properties, bench.caller('admin')))?.uri;
}

async function patch(name: string, changes: JsonObject, by = 'admin', session?: string) {
  await accountOf(name).patch?.apply(changes, bench.caller(by, session));
}

function accountOf(name: string) {
  return bench.at(`${ACCOUNTS}/${bench.account(name).id}`);
}

describe('an account', () => {
  it('shows all properties except its password', async () => {
    expect(await accountOf('reader').read()).toEqual({
      Id: '5',
      Name: 'User Account',
      Description: 'An added account',
      UserName: 'reader',
      Password: null,
      RoleId: 'ReadOnly',
      Enabled: true,
      Locked: false,
      PasswordChangeRequired: false,
      AccountTypes: ['Redfish', 'IPMI'],
      Links: { Role: { '@odata.id': '/redfish/v1/AccountService/Roles/ReadOnly' } },
    });
  });

  it('is a member of the collection, by its ID', () => {
    const uris = bench
      .at(ACCOUNTS)
      .members?.()
      .map(({ uri }) => uri.split('/').at(-1));
    expect(uris).toEqual(['2', '3', '4', '5', '6', '7']);
    expect(['1', '8', '02', 'x'].some((id) => bench.has(`${ACCOUNTS}/${id}`))).toBe(false);
  });

  it('shows no role if it has no access', async () => {
    const shown = await accountOf('outsider').read();
    expect([shown['RoleId'], shown['Links']]).toEqual([undefined, {}]);
  });

  it('recognizes the caller’s own account', () => {
    const account = accountOf('reader');
    expect([account.isOwn?.(bench.caller('reader')), account.isOwn?.(bench.caller('chief'))]).toEqual([true, false]);
  });

  it('changes its ETag when its password changes', async () => {
    const before = accountOf('reader').revision;
    expect(accountOf('reader').revision).toBe(before);
    await patch('reader', { Password: 'another' });
    expect(accountOf('reader').revision).not.toBe(before);
    await bench.change('reader', { password: undefined });
    expect(accountOf('reader').revision).toBeTypeOf('string');
  });
});

describe('account types', () => {
  it.each([
    ['made', 'p'.repeat(20), ['Redfish', 'IPMI']],
    ['made', 'p'.repeat(21), ['Redfish']],
    ['ä'.repeat(9), 'short', ['Redfish']],
  ])('default to what IPMI can carry: %s %s', async (UserName, Password, types) => {
    await create({ ...NEW, UserName, Password });
    expect(await accountOf(UserName).read()).toMatchObject({ AccountTypes: types });
  });

  it('can be set by clients', async () => {
    await create({ ...NEW, AccountTypes: ['Redfish'] });
    expect(bench.account('made').ipmiMessaging).toBe(false);
    await patch('made', { AccountTypes: ['Redfish', 'IPMI'] });
    expect(await accountOf('made').read()).toMatchObject({ AccountTypes: ['Redfish', 'IPMI'] });
  });

  it('always include Redfish, and IPMI only if name and password fit', async () => {
    expect(await refusalOf(() => create({ ...NEW, AccountTypes: ['IPMI'] }))).toBe('400 PropertyValueError');
    const long = { ...NEW, Password: 'p'.repeat(21), AccountTypes: ['Redfish', 'IPMI'] };
    expect(await refusalOf(() => create(long))).toBe('400 PropertyValueConflict');
    expect(bench.accounts.list()).toHaveLength(6);
  });
});

describe('a new account', () => {
  it('gets the lowest free ID and can log in', async () => {
    await bench.change('operator', { name: '' });
    expect(await create(NEW)).toBe('/redfish/v1/AccountService/Accounts/4');
    expect(bench.access.authenticate(basic('made'), ADDRESS).account.role).toBe('Operator');
    expect(bench.told).toContain(`admin@${ADDRESS} the account "made" was added with the role Operator`);
    expect(bench.machine.log.entries().at(-1)?.event).toMatchObject({ kind: 'AccountChanged', account: 'made' });
  });

  it('may be disabled, and may be required to change its password', async () => {
    await create({ ...NEW, Enabled: false, PasswordChangeRequired: true });
    expect(await accountOf('made').read()).toMatchObject({ Enabled: false, PasswordChangeRequired: true });
  });

  it('does not inherit the state of the previous account with its ID', async () => {
    await bench.state.change(() => ({ settings: { passwordChangeRequired: [8] } }));
    await create(NEW);
    expect(await accountOf('made').read()).toMatchObject({ Id: '8', PasswordChangeRequired: false });
  });

  it('gets a unique ID under concurrent requests', async () => {
    const made = await Promise.all(['a', 'b', 'c'].map((UserName) => create({ ...NEW, UserName })));
    expect(made.map((uri) => uri?.split('/').at(-1))).toEqual(['8', '9', '10']);
    expect(bench.accounts.list()).toHaveLength(9);
  });

  it('cannot log in before its required password change is stored', async () => {
    const seen: boolean[] = [];
    const change = bench.state.change.bind(bench.state);
    bench.state.change = async (edit) => {
      seen.push(bench.account('made').enabled);
      await change(edit);
    };
    await create({ ...NEW, PasswordChangeRequired: true });
    expect(seen).toEqual([false]);
    expect(await accountOf('made').read()).toMatchObject({ Enabled: true, PasswordChangeRequired: true });
  });

  it('is reported with its URI if the required password change cannot be stored', async () => {
    bench.state.nextError = new MachineError('Unavailable', 'no answer');
    await expect(create({ ...NEW, PasswordChangeRequired: true })).rejects.toThrow('no answer');
    expect(bench.account('made').enabled).toBe(false);
    expect(bench.told).toEqual([`admin@${ADDRESS} the account "made" was added with the role Operator`]);
  });

  it('is refused if the name exists; the existing account stays unchanged', async () => {
    const refusal = await refusalOf(() => create({ ...NEW, UserName: 'reader' }));
    expect(refusal).toBe('409 ResourceAlreadyExists');
    expect(bench.account('reader').role).toBe('ReadOnly');
  });

  it('is refused if all IDs are in use', async () => {
    for (let i = 8; i <= 16; i += 1) await create({ ...NEW, UserName: `user${i}` });
    expect(await refusalOf(() => create(NEW))).toBe('400 CreateLimitReachedForResource');
  });
});

describe('audit records of accounts and log-ins', () => {
  it('contain no password, right or wrong, and only a limited part of a name', async () => {
    const secrets = ['a secret of mine', 'another secret', 'a wrong secret'];
    const [first = '', second = '', wrong = ''] = secrets;
    await create({ ...NEW, UserName: 'n'.repeat(64), Password: first });
    await patch('n'.repeat(64), { Password: second });
    for (const user of ['reader', 'nobody', `nobody ${'x'.repeat(10_000)}`]) {
      await refusalOf(() => bench.access.authenticate(basic(user, wrong), ADDRESS));
    }
    bench.access.authenticate(basic('n'.repeat(64), second), ADDRESS);
    expect(bench.told).toHaveLength(6);
    for (const line of bench.told) {
      expect(line.length).toBeLessThan(200);
      for (const secret of secrets) expect(line).not.toContain(secret);
    }
  });
});

describe('an account change', () => {
  it('is applied as requested', async () => {
    await patch('reader', { UserName: 'viewer', Password: 'viewer-pass', RoleId: 'Operator', Enabled: false });
    expect(await accountOf('viewer').read()).toMatchObject({ Id: '5', RoleId: 'Operator', Enabled: false });
    expect(bench.told).toEqual([
      `admin@${ADDRESS} the account "reader" was changed: UserName, RoleId, Enabled, Password`,
    ]);
  });

  it('is applied in order under concurrent requests', async () => {
    await Promise.all([patch('reader', { Enabled: false }), patch('reader', { Enabled: true })]);
    expect(bench.account('reader').enabled).toBe(true);
  });

  it('writes nothing if nothing differs', async () => {
    const before = bench.accounts.list();
    await patch('reader', { UserName: 'reader', Password: 'reader-pass', RoleId: 'ReadOnly', Enabled: true });
    expect(bench.accounts.list()).toBe(before);
    expect(bench.told).toEqual([]);
  });

  it('ends the sessions of the account except the caller’s own', async () => {
    const { session } = await bench.access.sessions.open(bench.account('reader'), ADDRESS);
    await bench.access.sessions.open(bench.account('reader'), ADDRESS);
    await patch('reader', { Password: 'another' }, 'reader', session.id);
    expect(bench.access.sessions.list().map(({ id }) => id)).toEqual([session.id]);
    await patch('reader', { Password: 'once more' });
    expect(bench.access.sessions.list()).toEqual([]);
  });

  it('keeps the sessions if only IPMI is concerned', async () => {
    await bench.access.sessions.open(bench.account('reader'), ADDRESS);
    await patch('reader', { AccountTypes: ['Redfish'] });
    expect(bench.access.sessions.list()).toHaveLength(1);
  });

  it('clears the required password change unless the request sets it', async () => {
    const required = () => bench.state.current().settings?.passwordChangeRequired;
    await patch('reader', { PasswordChangeRequired: true });
    expect(required()).toEqual([5]);
    await patch('reader', { Password: 'another' }, 'reader');
    expect(required()).toEqual([]);
    await patch('reader', { Password: 'a third', PasswordChangeRequired: true });
    expect(required()).toEqual([5]);
  });

  it('can unlock the account, but not lock it', async () => {
    expect(await refusalOf(() => patch('reader', { Locked: true }))).toBe('400 PropertyValueNotInList');
    for (let i = 0; i < 5; i += 1) {
      await refusalOf(() => bench.access.authenticate(basic('reader', 'wrong'), ADDRESS));
    }
    expect(await accountOf('reader').read()).toMatchObject({ Locked: true });
    await patch('reader', { Locked: true });
    await patch('reader', { Locked: false });
    expect(await accountOf('reader').read()).toMatchObject({ Locked: false });
    expect(bench.access.authenticate(basic('reader'), ADDRESS).account.id).toBe(5);
  });

  it.each(['reader', 'operator'])('by %s is limited to the password', async (name) => {
    for (const changes of [{ RoleId: 'Administrator' }, { Password: 'x', Enabled: true }, { Locked: false }]) {
      expect(await refusalOf(() => patch(name, changes, name))).toBe('403 InsufficientPrivilege');
    }
    await patch(name, { Password: 'mine now' }, name);
    expect(bench.access.authenticate(basic(name, 'mine now'), ADDRESS).account.name).toBe(name);
  });

  it.each([
    ['ReadOnly', '400 PropertyNotWritable PropertyNotWritable'],
    ['Taken', '409 ResourceAlreadyExists'],
    ['Invalid', '400 PropertyValueError PropertyValueError'],
    ['Unavailable', '503 ServiceTemporarilyUnavailable, retry after 10 s'],
  ] as const)('is refused: %s', async (code, refusal) => {
    bench.accounts.nextError = new AccountError(code, 'it cannot be');
    const changes = { UserName: 'viewer', Password: 'a secret of mine' };
    expect(await refusalOf(() => patch('reader', changes))).toBe(refusal);
    expect(bench.told).toEqual([]);
    // The queue is not blocked.
    await patch('reader', { Enabled: false });
    expect(bench.account('reader').enabled).toBe(false);
  });

  it('is refused with the reason, without the password', async () => {
    const refused = patch('admin', { Password: 'a secret of mine' });
    await expect(refused).rejects.toMatchObject({
      messages: [
        {
          MessageArgs: ['Password'],
          Resolution: 'The owner manages this account.',
          RelatedProperties: ['#/Password'],
        },
      ],
    });
    await expect(refused).rejects.toSatisfy((error) => !JSON.stringify(error).includes('a secret of mine'));
  });

  it('passes other errors on', async () => {
    bench.accounts.change = () => Promise.reject(new Error('broken'));
    await expect(patch('reader', { Enabled: false })).rejects.toThrow('broken');
  });
});

describe('an account deletion', () => {
  it('answers 404 to later queued requests', async () => {
    const reader = accountOf('reader');
    const late = [
      async () => reader.delete?.(bench.caller('admin')),
      async () => reader.delete?.(bench.caller('admin')),
      async () => reader.patch?.apply({ UserName: 'viewer' }, bench.caller('admin')),
    ];
    const [first, ...others] = await Promise.allSettled(late.map((ask) => ask()));
    expect(first?.status).toBe('fulfilled');
    for (const other of others) expect(other).toMatchObject({ status: 'rejected', reason: { status: 404 } });
    expect(bench.accounts.list()).toHaveLength(5);
  });

  it('removes the account and all its state', async () => {
    await bench.access.sessions.open(bench.account('reader'), ADDRESS);
    await patch('reader', { PasswordChangeRequired: true });
    await accountOf('reader').delete?.(bench.caller('admin'));
    expect(bench.has(`${ACCOUNTS}/5`)).toBe(false);
    expect(bench.state.current()).toMatchObject({ sessions: [], settings: { passwordChangeRequired: [] } });
    expect(bench.told).toEqual([`admin@${ADDRESS} the account "reader" was removed`]);
  });
});
