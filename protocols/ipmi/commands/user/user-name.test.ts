import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { memoryAccount, MemoryAccounts } from '../../../testing/index.ts';
import { commandBench, type CommandBench } from '../../testing/run-command.ts';
import { CREDENTIALS } from '../../testing/test-bmc.ts';
import { decodeName, encodeName, getUserName, setUserName } from './user-name.ts';

let accounts: MemoryAccounts;
let at: CommandBench;

beforeEach(() => {
  accounts = new MemoryAccounts(CREDENTIALS, [memoryAccount(3, { username: 'ops', password: 'operator' })]);
  at = commandBench({ accounts });
});

function name(text: string): string {
  const field = Buffer.alloc(16);
  field.write(text, 'latin1');
  return field.toString('hex');
}

describe('Get User Name', () => {
  it.each([
    ['02', 'admin'],
    ['03', 'ops'],
    ['01', ''],
    ['10', ''],
  ])('returns user %s as %j', async (id, text) => {
    const { data } = await at.run(getUserName, id);
    expect(data.toString('hex')).toBe(name(text));
  });

  it.each([
    ['00', 'cc'],
    ['11', 'c9'],
  ])('rejects user ID %s', async (id, answer) => {
    expect(await at.answer(getUserName, id)).toBe(answer);
  });
});

describe('Set User Name', () => {
  it('creates a user without rights', async () => {
    expect(await at.answer(setUserName, `05${name('new')}`)).toBe('00');
    expect(accounts.list()[2]).toMatchObject({ id: 5, name: 'new', enabled: false, role: 'NoAccess' });
  });

  it('renames a user, and removes it with an empty name', async () => {
    await at.answer(setUserName, `03${name('sixteen-bytes-xx')}`);
    expect(accounts.list()[1]?.name).toBe('sixteen-bytes-xx');
    expect(await at.answer(setUserName, `03${name('')}`)).toBe('00');
    expect(accounts.list()).toHaveLength(1);
  });

  it.each([
    ['a name that another has', `04${name('ops')}`, 'cc'],
    ['bytes that are no UTF-8', `04${name('\xff\xfe')}`, 'cc'],
    ['another name for the owner', `02${name('root')}`, 'd6'],
    ['user 0', `00${name('x')}`, 'cc'],
    ['user 17', `11${name('x')}`, 'c9'],
    ['a short name', '0461', 'c7'],
  ])('rejects %s', async (_name, data, answer) => {
    const before = accounts.list();
    expect(await at.answer(setUserName, data)).toBe(answer);
    expect(accounts.list()).toBe(before);
  });

  it('accepts the empty name of the null user', async () => {
    expect(await at.answer(setUserName, `01${name('')}`)).toBe('00');
  });
});

describe('a user name', () => {
  it('is decoded as it was encoded', () => {
    const names = fc.string({ unit: 'grapheme', maxLength: 16 });
    fc.assert(
      fc.property(names, (text) => {
        fc.pre(Buffer.byteLength(text) <= 16 && !text.includes('\0') && text.isWellFormed());
        expect(decodeName(encodeName(text))).toBe(text);
      }),
    );
  });
});
