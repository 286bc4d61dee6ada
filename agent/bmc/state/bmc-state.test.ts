import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { VirtualMachineBMC } from '../../../api/index.ts';
import { KubeClient, type Secret } from '@groundcrew/controller-runtime';
import { FakeClock, silentLogger } from '@groundcrew/controller-runtime/testing';
import { type Account, AccountError, NEW_ACCOUNT } from '../../../protocols/accounts.ts';
import { BmcAccounts } from '../accounts/bmc-accounts.ts';
import { aBmc } from '../testing/builders.ts';
import { FakeStore, HandWatches } from '../testing/fake-store.ts';
import { BmcState } from './bmc-state.ts';
import { MadeCredentials } from './made-credentials.ts';

const NAME = 'a-bmc-state';

let store: FakeStore;
let clock: FakeClock;
let stop: AbortController;
let reports: string[];

beforeEach(() => {
  store = new FakeStore();
  clock = new FakeClock();
  stop = new AbortController();
  reports = [];
});
afterEach(() => {
  expect(clock.timers).toBe(0);
});

function anAgent(
  bmc: VirtualMachineBMC = aBmc(),
  hasHeard = true,
): { state: BmcState; watches: HandWatches; changes: () => number } {
  const client = new KubeClient({ transport: store, fieldManager: 'test' });
  const watches = new HandWatches(store);
  let changes = 0;
  const state = new BmcState({
    client,
    watches,
    bmc,
    onChange: () => {
      changes += 1;
    },
    report: (reason, message) => {
      reports.push(`${reason}: ${message}`);
    },
    clock,
    signal: stop.signal,
    logger: silentLogger,
  });
  if (hasHeard) watches.tell();
  return { state, watches, changes: () => changes };
}

function anAccount(id: number, name: string): Account {
  return { ...NEW_ACCOUNT, id, name, password: Buffer.from([0, 0xff, id]), role: 'Operator', enabled: true };
}

const ours = { ownerReferences: [{ apiVersion: 'x', kind: 'x', name: 'a-bmc', uid: 'bmc-1' }] };

function aSecret(name: string, data: Record<string, string>, metadata: object = ours): Secret {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'vms', name, ...metadata },
    data: Object.fromEntries(encoded) as Record<string, string>,
  };
}

const textOf = (name: string, key: string) =>
  Buffer.from(store.find('secrets', name)?.data?.[key] ?? '', 'base64').toString();

describe('the settings of a BMC', () => {
  it('can be reset to the initial ones', async () => {
    const { state } = anAgent();
    await state.settings.change(() => ({ systemInfo: { 1: '00' } }));
    await state.settings.change(() => ({ systemInfo: undefined }));
    expect(anAgent().state.settings.current()).toEqual({});
  });

  it('are merged with the concurrent write of another agent', async () => {
    const [one, other] = [anAgent().state, anAgent().state];
    await one.settings.change(() => ({ systemInfo: { 1: '00' } }));
    await Promise.all([
      settle(other.accounts.change(() => [anAccount(3, 'eve')])),
      settle(one.settings.change(() => ({ systemInfo: { 1: '01' } }))),
    ]);
    const next = anAgent().state;
    expect(next.settings.current()).toEqual({ systemInfo: { 1: '01' } });
    expect(next.accounts.current().map(({ name }) => name)).toEqual(['eve']);
  });

  it('are refused in bounded time if the API server does not answer', async () => {
    const { state } = anAgent();
    const refused = { code: 'Unavailable', mayBeDone: true };
    store.fate = () => 'refused';
    await expect(state.settings.change(() => ({ systemInfo: {} }))).rejects.toMatchObject(refused);
    store.request = (sent) =>
      new Promise((_, reject) => {
        sent.signal?.addEventListener('abort', () => {
          reject(new Error('aborted'));
        });
      });
    const hanging = expect(state.settings.change(() => ({ systemInfo: {} }))).rejects.toMatchObject(refused);
    await clock.advance(5_000);
    await hanging;
  });

  it.each(['does not come in time', 'is lost'])(
    'may be stored if the answer to the write %s, and the error says so',
    async (how) => {
      const { state } = anAgent();
      const unknown = {
        code: 'Unavailable',
        mayBeDone: true,
        message: expect.stringContaining('may have been done') as string,
      };
      await state.settings.change(() => ({ systemInfo: {} }));
      if (how === 'is lost') store.fate = () => 'lost';
      else {
        store.request = (sent) =>
          new Promise((_, reject) => {
            sent.signal?.addEventListener('abort', () => {
              reject(new Error('aborted'));
            });
          });
      }
      const settings = expect(state.settings.change(() => ({ systemInfo: {} }))).rejects.toMatchObject(unknown);
      const account = expect(state.accounts.change(() => [])).rejects.toThrow('it may have been done');
      await clock.advance(5_000);
      await settings;
      await account;
    },
  );

  it('are refused after repeated conflicts, and if the Secret has another owner', async () => {
    const { state } = anAgent();
    store.put('secrets', aSecret(NAME, {}));
    store.before = () => {
      store.put('secrets', aSecret(NAME, {}));
    };
    const outrun = expect(state.settings.change(() => ({ systemInfo: {} }))).rejects.toMatchObject({
      code: 'Unavailable',
    });
    await clock.advance(5_000);
    await outrun;
    store.before = () => undefined;
    const theirs = aSecret(NAME, { settings: '{"systemInfo":{"1":"00"}}' }, { ownerReferences: [] });
    store.put('secrets', theirs);
    const taken = anAgent().state;
    expect(taken.settings.current()).toEqual({});
    const refused = expect(taken.settings.change(() => ({ systemInfo: {} }))).rejects.toThrow(
      /belongs to another owner/,
    );
    await clock.advance(5_000);
    await refused;
    expect(store.find('secrets', NAME)?.data).toEqual(theirs.data);
  });

  it('of a deleted BMC do not apply to the next one of its name', async () => {
    await anAgent().state.settings.change(() => ({ systemInfo: { 1: '00' } }));
    const bmc = aBmc();
    const next = anAgent({ ...bmc, metadata: { ...bmc.metadata, uid: 'bmc-2' } });
    expect(next.state.settings.current()).toEqual({});
  });

  it('that a user made unreadable are reported once, and kept', async () => {
    store.put('secrets', aSecret(NAME, { settings: 'oops' }));
    const { state } = anAgent();
    expect(state.settings.current()).toEqual({});
    expect(state.settings.current()).toEqual({});
    expect(reports).toEqual([
      expect.stringMatching(/^StateUnreadable: Secret a-bmc-state has unreadable data under settings/),
    ]);
    await state.settings.change(() => ({ systemInfo: {} }));
    expect(textOf(NAME, 'settings.unreadable')).toBe('oops');
    expect(textOf(NAME, 'settings')).toBe('{"systemInfo":{}}');
  });
});

describe('the accounts that were added to a BMC', () => {
  it('are read by the next agent, with all bytes of the password', async () => {
    const accounts = [anAccount(3, 'eve'), { ...anAccount(4, ''), password: undefined }];
    await anAgent().state.accounts.change(() => accounts);
    expect(anAgent().state.accounts.current()).toEqual(accounts);
  });

  it('are the same array until a change', async () => {
    const { state, watches, changes } = anAgent();
    const none = state.accounts.current();
    watches.tell();
    expect(state.accounts.current()).toBe(none);
    await state.accounts.change(() => [anAccount(3, 'eve')]);
    const some = state.accounts.current();
    expect(some).not.toBe(none);
    const before = changes();
    watches.tell();
    expect(changes()).toBeGreaterThan(before);
    expect(state.accounts.current()).toBe(some);
  });

  it('are refused with an AccountError', async () => {
    const { state } = anAgent();
    const taken = new AccountError('Taken', 'there is one');
    const change = state.accounts.change(() => {
      throw taken;
    });
    await expect(change).rejects.toBe(taken);
    store.fate = () => 'refused';
    await expect(state.accounts.change(() => [])).rejects.toMatchObject({ name: 'AccountError', code: 'Unavailable' });
  });

  it('are the valid ones after an edit by a user', () => {
    const good = { ...anAccount(3, 'eve'), password: 'cHc=' };
    const stored = JSON.stringify([
      good,
      { ...good, id: 99 },
      { ...good, id: 4, role: 'God' },
      { ...good, name: 'twin' },
    ]);
    store.put('secrets', aSecret(NAME, { accounts: stored }));
    const { state } = anAgent();
    expect(state.accounts.current()).toEqual([{ ...anAccount(3, 'eve'), password: Buffer.from('pw') }]);
    expect(reports).toHaveLength(1);
    expect(reports.join()).not.toContain('cHc=');
  });
});

describe('the password of credentials', () => {
  const CREDENTIALS = 'a-bmc-credentials';

  function made(cached?: Secret): MadeCredentials {
    const client = new KubeClient({ transport: store, fieldManager: 'test' });
    return new MadeCredentials({ client, bmc: aBmc(), cached: () => cached, clock, signal: stop.signal });
  }

  it('is the newest known one until the watch is as new', async () => {
    store.put('secrets', aSecret(CREDENTIALS, { username: 'admin', password: 'before' }, { ...ours, uid: 'uid-1' }));
    const before = store.find('secrets', CREDENTIALS);
    const credentials = made(before);
    expect(credentials.newest(before)).toBe(before);
    await credentials.changePassword(Buffer.from('after'));
    const after = store.find('secrets', CREDENTIALS);
    expect(credentials.newest(before)?.data).toEqual(after?.data);
    expect(credentials.newest(undefined)).toBeUndefined();
    store.put('secrets', aSecret(CREDENTIALS, { username: 'admin', password: 'before' }, { ...ours, uid: 'uid-1' }));
    const later = store.find('secrets', CREDENTIALS);
    expect(credentials.newest(later)).toBe(later);
  });

  it('is written only over the version that was read', async () => {
    store.put('secrets', aSecret(CREDENTIALS, { username: 'admin', password: 'before' }));
    const cached = store.find('secrets', CREDENTIALS);
    store.put('secrets', aSecret(CREDENTIALS, { username: 'root', password: 'before' }, { ownerReferences: [] }));
    const change = made(cached).changePassword(Buffer.from('after'));
    const refused = expect(change).rejects.toMatchObject({ code: 'ReadOnly' });
    await clock.advance(100);
    await refused;
    expect(textOf(CREDENTIALS, 'password')).toBe('before');
  });

  it('is not written to a Secret of a user, or without a Secret', async () => {
    await expect(made().changePassword(Buffer.from('x'))).rejects.toMatchObject({ code: 'ReadOnly' });
    store.put('secrets', aSecret(CREDENTIALS, { username: 'mine', password: 'mine' }, { ownerReferences: [] }));
    await expect(made().changePassword(Buffer.from('x'))).rejects.toMatchObject({ code: 'ReadOnly' });
    expect(textOf(CREDENTIALS, 'password')).toBe('mine');
    expect(store.requests.filter((request) => request.startsWith('PATCH'))).toEqual([]);
  });
});

/** Waits for it while time passes. */
async function settle(work: Promise<void>): Promise<void> {
  const outcome = { isKnown: false };
  const done = work.finally(() => {
    outcome.isKnown = true;
  });
  done.catch(() => undefined);
  for (let turn = 0; turn < 50 && !outcome.isKnown; turn += 1) await clock.advance(50);
  await done;
}

describe('what an agent reads when it starts', () => {
  const stored = (): void => {
    store.put('secrets', aSecret(NAME, { settings: '{"systemInfo":{"1":"00"}}' }));
  };

  it('is available before the watch has started', async () => {
    stored();
    const { state } = anAgent(aBmc(), false);
    await state.load();
    expect(state.settings.current()).toEqual({ systemInfo: { 1: '00' } });
  });

  it('is empty without permission, which is reported once, and is in force with it', async () => {
    stored();
    const { state, watches } = anAgent(aBmc(), false);
    store.fate = () => 'forbidden';
    await state.load();
    await state.load();
    expect(state.settings.current()).toEqual({});
    expect(reports).toEqual([expect.stringMatching(/^StateForbidden: The agent may not read Secret a-bmc-state/)]);
    await expect(state.settings.change(() => ({ systemInfo: {} }))).rejects.toMatchObject({ code: 'Forbidden' });
    store.fate = () => 'answered';
    watches.tell();
    expect(state.settings.current()).toEqual({ systemInfo: { 1: '00' } });
  });

  it('is read again if the API server does not answer', async () => {
    const { state } = anAgent(aBmc(), false);
    store.fate = () => 'refused';
    await expect(state.load()).rejects.toMatchObject({ name: 'TransportError' });
  });
});

/** The accounts of two agents of one BMC, as while one takes over from the other. */
function twoAgents(): { accounts: BmcAccounts; watches: HandWatches }[] {
  return [anAgent(), anAgent()].map(({ state, watches }) => {
    const accounts = new BmcAccounts({ store: state.accounts });
    accounts.follow({ username: Buffer.from('admin'), password: Buffer.from('password') });
    return { accounts, watches };
  });
}

it('concurrent additions of accounts by two agents get different IDs, and none is lost', async () => {
  const agents = twoAgents();
  const adding = Promise.all(
    agents.flatMap(({ accounts }, agent) =>
      [1, 2, 3].map((at) => accounts.add({ name: `user${agent}${at}`, password: Buffer.from(`pass${agent}${at}`) })),
    ),
  );
  await clock.advance(5_000);
  expect((await adding).toSorted((a, b) => a - b)).toEqual([3, 4, 5, 6, 7, 8]);
  for (const { watches } of agents) watches.tell();
  for (const { accounts } of agents) {
    const added = accounts.list().filter(({ id }) => id !== 2);
    expect(added.map(({ name }) => name).toSorted()).toEqual(
      ['user01', 'user02', 'user03', 'user11', 'user12', 'user13'].toSorted(),
    );
    for (const { name, password } of added) expect(password?.toString()).toBe(name.replace('user', 'pass'));
  }
});

it('only one of two agents can add an account of the same name', async () => {
  const adding = Promise.allSettled(twoAgents().map(({ accounts }) => accounts.add({ name: 'eve' })));
  await clock.advance(5_000);
  const results = await adding;
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'Taken' } });
});
