import { beforeEach, describe, expect, it } from 'vitest';
import { AccountError } from '../../../accounts.ts';
import { memoryAccount, MemoryAccounts } from '../../../testing/index.ts';
import { commandBench, type CommandBench } from '../../testing/run-command.ts';
import { CREDENTIALS } from '../../testing/test-bmc.ts';
import { getUserAccess, setUserAccess } from './user-access.ts';

let accounts: MemoryAccounts;
let at: CommandBench;

beforeEach(() => {
  accounts = new MemoryAccounts(CREDENTIALS, [
    memoryAccount(3, { username: 'ops', password: 'operator', role: 'Operator' }),
    memoryAccount(4, { username: 'off', password: 'x', enabled: false, ipmiMessaging: false }),
  ]);
  at = commandBench({ accounts });
});

describe('Get User Access', () => {
  it.each([
    ['the null user', '0101', '00 10 82 02 0f'],
    ['the owner', '0102', '00 10 42 02 14'],
    ['an operator', '0e03', '00 10 42 02 13'],
    ['a disabled user', '0104', '00 10 82 02 04'],
    ['a nonexistent user', '0110', '00 10 82 02 0f'],
    ['user 0 as invalid', '0100', 'cc'],
    ['user 17 as out of range', '0111', 'c9'],
    ['another channel as invalid', '0202', 'cc'],
  ])('reports %s', async (_name, data, answer) => {
    expect(await at.answer(getUserAccess, data)).toBe(answer);
  });
});

describe('Set User Access', () => {
  it.each([
    ['only a limit', '010304', { role: 'Administrator', ipmiMessaging: true }],
    ['no access', '01030f', { role: 'NoAccess', ipmiMessaging: true }],
    ['a limit and messaging off', '810302', { role: 'ReadOnly', ipmiMessaging: false }],
    [
      'callback, link authentication and messaging, as guides do',
      'b1030300',
      { role: 'Operator', ipmiMessaging: true },
    ],
  ])('sets %s', async (_name, data, fields) => {
    expect(await at.answer(setUserAccess, data)).toBe('00');
    expect(accounts.list()[1]).toMatchObject(fields);
  });

  it.each([
    ['Callback', '010301', 'cc'],
    ['OEM', '010305', 'cc'],
    ['callback only', 'd10304', 'cc'],
    ['a limit of sessions', '01030402', 'cc'],
    ['a user without a name', '010504', 'd5'],
    ['the null user', '010104', 'd5'],
    ['messaging of a user without a name', '91050f', 'd5'],
    ['the owner', '010203', 'd6'],
  ])('rejects %s', async (_name, data, answer) => {
    const before = accounts.list();
    expect(await at.answer(setUserAccess, data)).toBe(answer);
    expect(accounts.list()).toBe(before);
  });

  it("accepts the owner's current values without an event", async () => {
    expect(await at.answer(setUserAccess, '910204')).toBe('00');
    expect(at.bmc.machine.log.entries()).toEqual([]);
  });

  it.each(['81010f', '01050f', '81100f00'])('accepts the current values of a nonexistent user: %s', async (data) => {
    const before = accounts.list();
    expect(await at.answer(setUserAccess, data)).toBe('00');
    expect(accounts.list()).toBe(before);
  });

  it('reports a storage error', async () => {
    accounts.nextError = new AccountError('Unavailable', 'the API does not answer');
    expect(await at.answer(setUserAccess, '010304')).toBe('d3');
  });

  it('ends sessions that lose their rights, and logs the requester', async () => {
    const [account] = accounts.list().slice(1);
    if (account === undefined) throw new Error('no account');
    const [theirs, mine] = [at.session(3), at.session()];
    theirs.account = account;
    expect(await at.answer(setUserAccess, '010302', mine)).toBe('00');
    expect([theirs.isOpen, mine.isOpen]).toEqual([false, true]);
    const requester = { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' };
    expect(at.bmc.machine.log.entries().map(({ event }) => event)).toEqual([
      { kind: 'AccountChanged', account: 'ops', requester },
    ]);
  });
});
