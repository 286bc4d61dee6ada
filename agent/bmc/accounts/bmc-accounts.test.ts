import { describe, expect, it } from 'vitest';
import { type Account, type AccountChange, AccountLimitError, NEW_ACCOUNT } from '../../../protocols/accounts.ts';
import { type AccountStore, BmcAccounts } from './bmc-accounts.ts';

const OWNER = { username: Buffer.from('admin'), password: Buffer.from('password') };

class MemoryStore implements AccountStore {
  #accounts: readonly Account[];

  constructor(accounts: readonly Account[] = []) {
    this.#accounts = accounts;
  }

  current(): readonly Account[] {
    return this.#accounts;
  }

  // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
  async change(apply: (stored: readonly Account[]) => readonly Account[]): Promise<void> {
    this.#accounts = apply(this.#accounts);
  }
}

function account(id: number, name: string, fields: AccountChange = {}): Account {
  return { ...NEW_ACCOUNT, id, name, ...fields };
}

function bench(stored: readonly Account[] = [], ownerSecret?: Buffer[], minPassword = 1): BmcAccounts {
  const accounts = new BmcAccounts({
    store: new MemoryStore(stored),
    minPassword: () => minPassword,
    ownerSecret: () =>
      ownerSecret && { changePassword: (password) => Promise.resolve(void ownerSecret.push(password)) },
  });
  accounts.follow(OWNER);
  return accounts;
}

describe('the accounts of a BMC', () => {
  it('lists the owner and the added accounts', () => {
    const accounts = bench([account(3, 'ops')]).list();
    expect(accounts.map(({ id, name, role }) => [id, name, role])).toEqual([
      [2, 'admin', 'Administrator'],
      [3, 'ops', 'NoAccess'],
    ]);
  });

  it('returns the same array until something changes', async () => {
    const accounts = bench([account(3, 'ops')]);
    const before = accounts.list();
    accounts.follow({ ...OWNER });
    expect(accounts.list()).toBe(before);
    await accounts.change(3, { enabled: true });
    expect(accounts.list()).not.toBe(before);
  });

  it('is empty while the Secret of the owner cannot be read', async () => {
    const accounts = bench([account(3, 'ops')]);
    accounts.follow(undefined);
    expect(accounts.list()).toEqual([]);
    await expect(accounts.change(3, { name: 'x' })).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('omits invalid stored accounts', () => {
    const accounts = bench([
      account(1, 'null'),
      account(2, 'second'),
      account(3, 'admin'),
      account(4, 'ops'),
      account(5, 'ops'),
      account(6, 'tab\t'),
      account(7, 'empty', { password: Buffer.alloc(0) }),
      account(17, 'many'),
    ]);
    expect(accounts.list().map(({ name }) => name)).toEqual(['admin', 'ops']);
  });

  it('creates an account with a name, changes it, and deletes it with an empty name', async () => {
    const accounts = bench();
    await accounts.change(3, { name: 'ops' });
    await accounts.change(3, { password: Buffer.from('secret'), enabled: true });
    expect(accounts.list()[1]).toEqual(account(3, 'ops', { password: Buffer.from('secret'), enabled: true }));
    await accounts.change(3, { name: '' });
    expect(accounts.list()).toHaveLength(1);
  });

  it.each<[string, number, AccountChange, string]>([
    ['a name that the owner has', 3, { name: 'admin' }, 'Taken'],
    ['a name that another has', 3, { name: 'other' }, 'Taken'],
    ['the null user', 1, { name: 'x' }, 'Invalid'],
    ['more than 16', 17, { name: 'x' }, 'Invalid'],
    ['a name with control characters', 3, { name: 'a\nb' }, 'Invalid'],
    ['an empty password', 4, { password: Buffer.alloc(0) }, 'Invalid'],
    ['another name for the owner', 2, { name: 'root' }, 'ReadOnly'],
    ['less for the owner', 2, { role: 'Operator' }, 'ReadOnly'],
    ['the owner off', 2, { enabled: false }, 'ReadOnly'],
    ['a password in a Secret that the owner keeps', 2, { password: Buffer.from('x') }, 'ReadOnly'],
  ])('refuses %s', async (_name, id, change, code) => {
    const accounts = bench([account(4, 'other')]);
    const before = accounts.list();
    await expect(accounts.change(id, change)).rejects.toMatchObject({ code });
    expect(accounts.list()).toBe(before);
  });

  it('assigns the lowest free ID until no ID is free', async () => {
    const accounts = bench([account(4, 'other'), account(5, 'admin')]);
    expect(await accounts.add({ name: 'ops' })).toBe(3);
    for (let id = 6; id <= 16; id += 1) expect(await accounts.add({ name: `user${id}` })).toBe(id);
    await expect(accounts.add({ name: 'one more' })).rejects.toThrow(AccountLimitError);
    accounts.follow(undefined);
    await expect(accounts.add({ name: 'x' })).rejects.toMatchObject({ code: 'Unavailable' });
    await expect(new BmcAccounts().add({ name: 'x' })).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('accepts the current values for the owner', async () => {
    await bench().change(2, { name: 'admin', role: 'Administrator', enabled: true, password: Buffer.from('password') });
  });

  it('writes a password to a generated Secret', async () => {
    const written: Buffer[] = [];
    const accounts = bench([], written);
    await accounts.change(2, { password: Buffer.from('changed') });
    await expect(accounts.change(2, { password: Buffer.alloc(21, 1) })).rejects.toMatchObject({ code: 'Invalid' });
    expect(written).toEqual([Buffer.from('changed')]);
  });

  it('refuses new passwords below the minimum length from every protocol, and keeps older ones', async () => {
    const [short, long] = [Buffer.from('seven77'), Buffer.from('eight888')];
    const accounts = bench([account(3, 'ops', { password: short })], [], 8);
    await expect(accounts.add({ name: 'new', password: short })).rejects.toMatchObject({ code: 'Invalid' });
    await expect(accounts.change(2, { password: short })).rejects.toMatchObject({ code: 'Invalid' });
    await expect(accounts.change(3, { password: Buffer.from('seven7!') })).rejects.toMatchObject({ code: 'Invalid' });
    await accounts.change(3, { password: short, enabled: true });
    await accounts.change(3, { password: long });
    await accounts.change(2, { password: long });
    expect(accounts.list().map(({ password }) => password)).toEqual([long, long]);
  });

  it('uses the new password at once, and can restore the previous password', async () => {
    const written: Buffer[] = [];
    const accounts = bench([], written);
    await accounts.change(2, { password: Buffer.from('changed') });
    expect(accounts.list()[0]?.password).toEqual(Buffer.from('changed'));
    await accounts.change(2, { password: OWNER.password });
    expect(accounts.list()[0]?.password).toEqual(OWNER.password);
    expect(written).toEqual([Buffer.from('changed'), OWNER.password]);
  });
});
