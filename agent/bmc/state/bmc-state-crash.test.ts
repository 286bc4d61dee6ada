import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CONFIG_MAPS, type ConfigMap, KubeClient } from '@groundcrew/controller-runtime';
import { FakeClock, silentLogger } from '@groundcrew/controller-runtime/testing';
import { NEW_ACCOUNT } from '../../../protocols/accounts.ts';
import { BmcEventLog } from '../log/bmc-event-log.ts';
import { OwnedObject } from '../objects/owned-object.ts';
import { aBmc } from '../testing/builders.ts';
import { FakeStore, HandWatches } from '../testing/fake-store.ts';
import { BmcState } from './bmc-state.ts';

/** One agent, from its start until it is killed. */
interface Life {
  steps: readonly ('log' | 'settings' | 'account' | 'wait' | 'hear')[];
  /** The request at which the agent is killed, before or after the server executes it. */

  killed: { at: number; when: 'before' | 'after' };
  lost: number;
}

const life: fc.Arbitrary<Life> = fc.record({
  steps: fc.array(fc.constantFrom('log', 'settings', 'account', 'wait', 'hear'), { minLength: 1, maxLength: 8 }),
  killed: fc.record({ at: fc.nat(12), when: fc.constantFrom('before', 'after') }),
  lost: fc.nat(12),
});

class World {
  readonly store = new FakeStore();
  readonly clock = new FakeClock();
  /** Data whose write was confirmed. */
  settled = { settings: 0, accounts: [] as number[] };
  /** Values that were sent and may have been stored. */
  sent = new Set<number>([0]);
  marks = 0;
  /** Entries that were seen in the ConfigMap, in order. */
  logged: number[] = [];

  async live({ steps, killed, lost }: Life): Promise<void> {
    let requests = 0;
    let isDead = false;
    this.store.fate = () => {
      if (isDead) return 'refused';
      requests += 1;
      if (requests - 1 === killed.at) {
        isDead = true;
        return killed.when === 'before' ? 'refused' : 'lost';
      }
      return requests - 1 === lost ? 'lost' : 'answered';
    };
    const stop = new AbortController();
    const { state, log, watches } = this.#agent(stop.signal);
    watches.tell();
    this.#check(state);
    for (const step of steps) {
      if (step === 'log') log.append({ kind: 'Watchdog', action: 'None', use: this.#mark() & 0xff });
      else if (step === 'wait') await this.clock.advance(1_000);
      else if (step === 'hear') watches.tell();
      else await this.#ask(step, state);
      this.#look();
    }
    stop.abort();
    isDead = true;
    await log.close(false);
    this.store.fate = () => 'answered';
  }

  #agent(signal: AbortSignal) {
    const { store, clock } = this;
    const client = new KubeClient({ transport: store, fieldManager: 'test' });
    const watches = new HandWatches(store);
    const common = { client, watches, bmc: aBmc() };
    const report = (): void => undefined;
    const object = new OwnedObject<ConfigMap>({
      ...{ ...common, kind: CONFIG_MAPS, name: 'a-bmc-sel' },
      onChange: () => {
        log.follow();
      },
    });
    const random = (): Buffer => Buffer.from(String(this.#mark()));
    const log: BmcEventLog = new BmcEventLog({ object, report, random, clock, logger: silentLogger });
    const onChange = (): void => undefined;
    const state = new BmcState({ ...common, onChange, report, clock, signal, logger: silentLogger });
    return { state, log, watches };
  }

  async #ask(what: 'settings' | 'account', state: BmcState): Promise<void> {
    const mark = this.#mark();
    if (what === 'settings') this.sent.add(mark);
    const id = 3 + (mark % 10);
    const account = { ...NEW_ACCOUNT, id, name: `user-${id}` };
    const work =
      what === 'settings'
        ? state.settings.change(() => ({ systemInfo: { 1: String(mark) } }))
        : state.accounts.change((stored) => [...stored.filter((other) => other.id !== id), account]);
    let outcome: 'stored' | 'refused' | undefined;
    work.then(
      () => (outcome = 'stored'),
      () => (outcome = 'refused'),
    );
    for (let turn = 0; turn < 20 && outcome === undefined; turn += 1) await this.clock.advance(400);
    if (outcome !== 'stored') return;
    if (what === 'account') this.settled.accounts.push(id);
    else {
      this.settled.settings = mark;
      this.sent = new Set([mark]);
    }
  }

  /** Checks what a starting agent reads. */
  #check({ settings, accounts }: BmcState): void {
    expect([...this.sent]).toContain(Number(settings.current().systemInfo?.['1'] ?? 0));
    expect(accounts.current().map(({ id }) => id)).toEqual(expect.arrayContaining(this.settled.accounts));
  }

  #look(): void {
    const lines = (this.store.find('configmaps', 'a-bmc-sel')?.data?.['log'] ?? '').split('\n').filter(Boolean);
    const entries = lines.map((line) => JSON.parse(line) as { id: number; use: number });
    expect(entries.map(({ id }) => id)).toEqual([...new Set(entries.map(({ id }) => id))].sort((a, b) => a - b));
    const uses = entries.map(({ use }) => use);
    expect(uses.slice(0, this.logged.length)).toEqual(this.logged);
    expect(new Set(uses).size).toBe(uses.length);
    this.logged = uses;
  }

  #mark(): number {
    this.marks += 1;
    return this.marks;
  }
}

it('loses no stored data, and stores nothing twice, if agents are killed at any request', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 5 }), async (lives) => {
      const world = new World();
      for (const one of lives) await world.live(one);
    }),
    { numRuns: 150 },
  );
}, 60_000);
