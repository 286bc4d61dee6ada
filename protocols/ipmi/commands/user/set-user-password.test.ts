import { beforeEach, describe, expect, it } from 'vitest';
import { memoryAccount, MemoryAccounts } from '../../../testing/index.ts';
import { commandBench, type CommandBench } from '../../testing/run-command.ts';
import { CREDENTIALS } from '../../testing/test-bmc.ts';
import { setUserPassword as command } from './set-user-password.ts';

const LONG = 'seventeen-bytes-x';

let accounts: MemoryAccounts;
let at: CommandBench;

beforeEach(() => {
  accounts = new MemoryAccounts(CREDENTIALS, [
    memoryAccount(3, { username: 'ops', password: 'operator' }),
    memoryAccount(4, { username: 'long', password: LONG }),
    { ...memoryAccount(5, { username: 'none', password: '' }), password: undefined },
  ]);
  at = commandBench({ accounts });
});

function padded(text: string, size: 16 | 20): string {
  const field = Buffer.alloc(size);
  field.write(text);
  return field.toString('hex');
}

describe('Set User Password', () => {
  it.each([
    ['16 bytes', `0302${padded('changed', 16)}`, 'changed'],
    ['20 bytes', `8302${padded('twenty-bytes-are-it!', 20)}`, 'twenty-bytes-are-it!'],
  ])('sets a password of %s', async (_name, data, password) => {
    expect(await at.answer(command, data)).toBe('00');
    expect(accounts.list()[1]?.password).toEqual(Buffer.from(password));
  });

  it.each(['0300', `0300${padded('', 16)}`])('disables and enables a user: %s', async (data) => {
    expect(await at.answer(command, data)).toBe('00');
    expect(accounts.list()[1]?.enabled).toBe(false);
    expect(await at.answer(command, `0301${data.slice(4)}`)).toBe('00');
    expect(accounts.list()[1]?.enabled).toBe(true);
  });

  it.each([
    ['the right one in 16 bytes', `0303${padded('operator', 16)}`, '00'],
    ['the right one in 20 bytes', `8303${padded('operator', 20)}`, '00'],
    ['a wrong one', `0303${padded('operato', 16)}`, '80'],
    ['one of a user without a password', `0503${padded('', 16)}`, '80'],
    ['a long one in 16 bytes', `0403${padded(LONG, 16)}`, '81'],
    ['a long one in 20 bytes', `8403${padded(LONG, 20)}`, '00'],
  ])('tests %s', async (_name, data, answer) => {
    expect(await at.answer(command, data)).toBe(answer);
  });

  it.each([
    ['an empty one', `0302${padded('', 16)}`, 'cc'],
    ['no password', '0302', 'c7'],
    ['20 bytes declared as 16', `0302${padded('x', 20)}`, 'c7'],
    ['16 bytes declared as 20', `8302${padded('x', 16)}`, 'c7'],
    ['to enable a user without a name', '0601', 'd5'],
    ['the password of a user without a name', `0602${padded('x', 16)}`, 'd5'],
    ["the owner's", `0202${padded('x', 16)}`, 'd6'],
    ['to disable the owner', '0200', 'd6'],
    ['user 0', '0000', 'cc'],
  ])('rejects %s', async (_name, data, answer) => {
    const before = accounts.list();
    expect(await at.answer(command, data)).toBe(answer);
    expect(accounts.list()).toBe(before);
  });

  it('accepts disabling a nonexistent user', async () => {
    const before = accounts.list();
    expect(await at.answer(command, `0100${padded('', 16)}`)).toBe('00');
    expect(accounts.list()).toBe(before);
  });

  it('ends other sessions of a user that changes its password, but not the changing one', async () => {
    const account = memoryAccount(3, { username: 'ops', password: 'operator' });
    const [mine, other] = [at.session(), at.session()];
    mine.account = account;
    other.account = account;
    expect(await at.answer(command, `0302${padded('changed', 16)}`, mine)).toBe('00');
    expect([mine.isOpen, other.isOpen]).toEqual([true, false]);
  });

  it('ends the session that disables its own user', async () => {
    const mine = at.session();
    mine.account = memoryAccount(3, { username: 'ops', password: 'operator' });
    expect(await at.answer(command, '0300', mine)).toBe('00');
    expect(mine.isOpen).toBe(false);
  });
});
