import { expect, it } from 'vitest';
import { KubeClient } from '@groundcrew/controller-runtime';
import { FakeClock, silentLogger } from '@groundcrew/controller-runtime/testing';
import { BmcAccounts } from '../accounts/bmc-accounts.ts';
import { aBmc } from '../testing/builders.ts';
import { FakeStore } from '../testing/fake-store.ts';
import { HandWatches } from '../testing/hand-watches.ts';
import { BmcState } from './bmc-state.ts';

/** Two agents of one BMC, as while one takes over from the other. */
function twoAgents(): { accounts: BmcAccounts[]; watches: HandWatches[]; clock: FakeClock; store: FakeStore } {
  const store = new FakeStore();
  const clock = new FakeClock();
  const agents = [0, 1].map(() => {
    const watches = new HandWatches(store);
    const state = new BmcState({
      ...{ client: new KubeClient({ transport: store, fieldManager: 'test' }), watches, bmc: aBmc(), clock },
      ...{ onChange: () => undefined, report: () => undefined },
      ...{ signal: new AbortController().signal, logger: silentLogger },
    });
    watches.tell();
    const accounts = new BmcAccounts({ store: state.accounts });
    accounts.follow({ username: Buffer.from('admin'), password: Buffer.from('password') });
    return { accounts, watches };
  });
  return {
    ...{ store, clock },
    accounts: agents.map(({ accounts }) => accounts),
    watches: agents.map(({ watches }) => watches),
  };
}

it('accounts that two agents add at once get IDs of their own, and none is lost', async () => {
  const { accounts, watches, clock } = twoAgents();
  const adding = Promise.all(
    accounts.flatMap((one, agent) =>
      [1, 2, 3].map((at) => one.add({ name: `user${agent}${at}`, password: Buffer.from(`pass${agent}${at}`) })),
    ),
  );
  await clock.advance(5_000);
  expect((await adding).toSorted((a, b) => a - b)).toEqual([3, 4, 5, 6, 7, 8]);
  for (const one of watches) one.tell();
  for (const one of accounts) {
    const added = one.list().filter(({ id }) => id !== 2);
    expect(added.map(({ name }) => name).toSorted()).toEqual(
      ['user01', 'user02', 'user03', 'user11', 'user12', 'user13'].toSorted(),
    );
    for (const { name, password } of added) expect(password?.toString()).toBe(name.replace('user', 'pass'));
  }
});

it('accounts of one name are added by one of two agents alone', async () => {
  const { accounts, clock } = twoAgents();
  const adding = Promise.allSettled(accounts.map((one) => one.add({ name: 'eve' })));
  await clock.advance(5_000);
  const results = await adding;
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'Taken' } });
});
