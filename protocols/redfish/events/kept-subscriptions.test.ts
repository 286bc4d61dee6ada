import { setImmediate as settled } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryAccounts, memoryAccount } from '../../testing/index.ts';
import type { StoredSubscription } from '../state.ts';
import { aSubscription, FakeBmc } from '../testing/index.ts';
import { isOwnerOf, KeptSubscriptions } from './kept-subscriptions.ts';

const OWNER = { username: 'admin', password: 'any' };
const BOB = memoryAccount(3, { username: 'bob', password: 'any', role: 'Operator' });
const OF_OWNER = aSubscription('1', { account: 2 });
const OF_BOB = aSubscription('2', { account: 3, owner: 'bob' });

describe('a subscription', () => {
  let bmc: FakeBmc;
  let accounts: MemoryAccounts;
  let kept: KeptSubscriptions;
  let left: string[];
  let failures: unknown[];

  beforeEach(async () => {
    bmc = new FakeBmc();
    left = [];
    failures = [];
    accounts = new MemoryAccounts(OWNER, [BOB]);
    bmc.options.accounts = accounts;
    bmc.options.observer = { ...bmc.options.observer, failed: (error) => void failures.push(error) };
    await bmc.state.change(() => ({ subscriptions: [OF_OWNER, OF_BOB] }));
    kept = new KeptSubscriptions({
      ...bmc.options,
      left: (gone: readonly StoredSubscription[]) => void left.push(...gone.map(({ id }) => id)),
    });
  });

  const ids = (): string[] => kept.list().map(({ id }) => id);
  const stored = (): string[] => (bmc.state.current().subscriptions ?? []).map(({ id }) => id);

  it('stays invisible if its end cannot be stored, and is removed at the next event', async () => {
    await accounts.change(3, { name: '' });
    bmc.state.nextError = new Error('no store');
    kept.sweep();
    await settled();
    expect([failures, left, stored()]).toEqual([[new Error('no store')], [], ['1', '2']]);
    await accounts.change(3, BOB);
    expect(ids()).toEqual(['1']);
    kept.sweep();
    await settled();
    expect([stored(), left]).toEqual([['1'], ['2']]);
  });

  it('survives changes of the account’s name, password and role', async () => {
    await accounts.change(3, { name: 'robert', password: Buffer.from('other'), role: 'ReadOnly', enabled: false });
    kept.sweep();
    await settled();
    expect([stored(), left]).toEqual([['1', '2'], []]);
  });

  it('is kept while there is no account at all', async () => {
    bmc.options.accounts = new MemoryAccounts();
    kept = new KeptSubscriptions({ ...bmc.options, left: () => left.push('any') });
    kept.sweep();
    await settled();
    expect([ids(), left]).toEqual([['1', '2'], []]);
  });

  it('belongs to the account by ID, or by name if no ID is stored', () => {
    expect(isOwnerOf(OF_BOB, { ...BOB, name: 'robert' })).toBe(true);
    expect(isOwnerOf(OF_BOB, { ...BOB, id: 4 })).toBe(false);
    const byName = aSubscription('3', { owner: 'bob' });
    expect([isOwnerOf(byName, BOB), isOwnerOf(byName, { ...BOB, name: 'robert' })]).toEqual([true, false]);
  });
});
