import { describe, expect, it, vi } from 'vitest';
import type { VirtualMachineInstance } from '../../../api/index.ts';
import { CONFIG_MAPS, type ConfigMap, KubeClient } from '@groundcrew/controller-runtime';
import { FakeClock, silentLogger } from '@groundcrew/controller-runtime/testing';
import type { Requester } from '../../../protocols/machine/index.ts';
import { observedStateOf } from '../kubevirt/observed-state.ts';
import { OwnedObject } from '../objects/owned-object.ts';
import { aBmc, aVmi } from '../testing/builders.ts';
import { FakeStore, HandWatches } from '../testing/fake-store.ts';
import { BmcEventLog } from './bmc-event-log.ts';

const requester: Requester = { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' };
const NAME = 'a-bmc-sel';
let names = 0;

/** One agent's log, and its view of the cluster. */
class Agent {
  readonly watches: HandWatches;
  readonly log: BmcEventLog;
  readonly reports: string[] = [];

  constructor(store: FakeStore, clock: FakeClock) {
    const client = new KubeClient({ transport: store, fieldManager: 'test' });
    this.watches = new HandWatches(store);
    const onChange = (): void => {
      this.log.follow();
    };
    const object = new OwnedObject<ConfigMap>({
      ...{ client, watches: this.watches, kind: CONFIG_MAPS, name: NAME, bmc: aBmc(), onChange },
    });
    const report = (reason: string, message: string): void => {
      this.reports.push(`${reason}: ${message}`);
    };
    const random = (): Buffer => {
      names += 1;
      return Buffer.from([names >> 8, names & 0xff]);
    };
    this.log = new BmcEventLog({ object, report, random, clock, logger: silentLogger });
  }

  get kinds(): string[] {
    return this.log.entries().map(({ event }) => event.kind);
  }
}

function aScene() {
  const store = new FakeStore();
  const clock = new FakeClock();
  return {
    store,
    clock,
    agent: (): Agent => {
      const agent = new Agent(store, clock);
      agent.watches.tell();
      return agent;
    },
    writes: () => store.requests.filter((request) => request.startsWith('PATCH')).length,
    lines: () => (store.find('configmaps', NAME)?.data?.['log'] ?? '').split('\n').filter((line) => line !== ''),
  };
}

describe("a BMC's event log", () => {
  it('is stored in a ConfigMap of the BMC, one line per entry', async () => {
    const { store, clock, agent, lines } = aScene();
    agent().log.append({ kind: 'PowerState', state: 'On' });
    await clock.advance(1_000);
    expect(store.find('configmaps', NAME)?.metadata).toMatchObject({
      labels: { 'kubevirt.io/virtualmachinebmc-name': 'a-bmc' },
      ownerReferences: [{ kind: 'VirtualMachineBMC', name: 'a-bmc', uid: 'bmc-1' }],
    });
    expect(lines()).toEqual(['{"id":1,"at":"2026-01-01T00:00:00.000Z","kind":"PowerState","state":"On"}']);
  });

  it('is written in batches, at most once in five seconds', async () => {
    const { clock, agent, writes, lines } = aScene();
    const { log } = agent();
    for (let tenth = 0; tenth < 50; tenth += 1) {
      log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
      await clock.advance(100);
    }
    await clock.advance(5_000);
    expect(lines()).toHaveLength(50);
    expect(writes()).toBe(2);
  });

  it('is read by the next agent, which continues the IDs', async () => {
    const { clock, agent } = aScene();
    const first = agent();
    first.log.append({ kind: 'PowerState', state: 'On' });
    first.log.append({ kind: 'PowerState', state: 'Off' });
    first.log.remove(2);
    await clock.advance(1_000);
    const next = agent();
    expect(next.log.entries().map(({ id }) => id)).toEqual([1]);
    expect(next.log.lastErased).toBe(clock.now() - 1_000);
    expect(next.log.append({ kind: 'BootOverrideEnded', why: 'Booted' }).id).toBe(3);
  });

  it('truncates long texts of clients', () => {
    const { agent } = aScene();
    const account = 'x'.repeat(10_000);
    expect(JSON.stringify(agent().log.append({ kind: 'AccountChanged', account, requester })).length).toBeLessThan(300);
  });

  it('is written without extra delay after the clock is set back', async () => {
    const { clock, agent, lines } = aScene();
    const { log } = agent();
    log.append({ kind: 'PowerState', state: 'On' });
    await clock.advance(1_000);
    const now = vi.spyOn(clock, 'now').mockReturnValue(clock.now() - 3_600_000);
    log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    await clock.advance(5_000);
    expect(lines()).toHaveLength(2);
    now.mockRestore();
  });

  it('treats a refused write as not done, without a read', async () => {
    const { store, clock, agent } = aScene();
    const { log, watches } = agent();
    log.append({ kind: 'PowerState', state: 'On' });
    await clock.advance(1_000);
    watches.tell();
    const asked: string[] = [];
    store.fate = ({ method }) => {
      asked.push(method);
      return 'forbidden';
    };
    log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    await clock.advance(60_000);
    expect(new Set(asked)).toEqual(new Set(['PATCH']));
    await log.close(false);
  });

  it('accepts entries before it is loaded, and appends them to the stored ones', async () => {
    const { store, clock, agent } = aScene();
    agent().log.append({ kind: 'PowerState', state: 'On' });
    await clock.advance(1_000);
    const late = new Agent(store, clock);
    late.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    await clock.advance(10_000);
    expect(late.kinds).toEqual(['BootOverrideEnded']);
    late.watches.tell();
    expect(late.kinds).toEqual(['PowerState', 'BootOverrideEnded']);
    expect(late.log.entries().map(({ id }) => id)).toEqual([1, 2]);
  });

  it('does not repeat a write whose answer was lost', async () => {
    const { store, clock, agent, lines } = aScene();
    const { log } = agent();
    log.append({ kind: 'PowerState', state: 'On' });
    await clock.advance(1_000);
    let isFirst = true;
    store.fate = ({ method }) => {
      if (method !== 'PATCH' || !isFirst) return 'answered';
      isFirst = false;
      return 'lost';
    };
    log.append({ kind: 'PowerState', state: 'Off' });
    await clock.advance(5_000);
    expect(lines()).toHaveLength(2);
    log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    await clock.advance(6_000);
    expect(lines().map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([1, 2, 3]);
    expect(log.entries()).toHaveLength(3);
  });

  it("keeps valid lines after a user's edit, and preserves and reports the others", async () => {
    const { store, clock, agent, lines } = aScene();
    agent().log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    await clock.advance(1_000);
    const edited = store.find('configmaps', NAME);
    if (edited === undefined) throw new Error('no log was stored');
    store.put('configmaps', { ...edited, data: { ...edited.data, log: `oops\n${edited.data?.['log'] ?? ''}` } });
    const next = agent();
    expect(next.kinds).toEqual(['BootOverrideEnded']);
    expect(next.reports).toEqual([expect.stringMatching(/^EventLogUnreadable: ConfigMap a-bmc-sel .+: 1\./)]);
    await clock.advance(1_000);
    expect(store.find('configmaps', NAME)?.data?.['unreadable']).toBe('oops');
    expect(lines()).toHaveLength(1);
    const after = agent();
    expect(after.reports).toEqual([]);
  });

  it('continues the IDs after a user deleted it', async () => {
    const { store, clock, agent, lines } = aScene();
    const one = agent();
    one.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    await clock.advance(1_000);
    one.watches.tell();
    store.delete('configmaps', NAME);
    one.watches.tell();
    expect(one.kinds).toEqual([]);
    expect(one.log.append({ kind: 'BootOverrideEnded', why: 'Booted' }).id).toBe(2);
    await clock.advance(5_000);
    expect(lines()).toHaveLength(1);
  });

  it('leaves a ConfigMap of the same name alone if it belongs to another owner', async () => {
    const { store, clock, agent } = aScene();
    const theirs: ConfigMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'vms', name: NAME },
      data: { log: '{"id":1,"at":"2026-01-01T00:00:00.000Z","kind":"BootOverrideEnded","why":"Booted"}' },
    };
    store.put('configmaps', theirs);
    const one = agent();
    one.log.append({ kind: 'PowerState', state: 'On' });
    await clock.advance(60_000);
    expect(one.kinds).toEqual(['PowerState']);
    expect(store.find('configmaps', NAME)?.data).toEqual(theirs.data);
    expect(store.find('configmaps', NAME)?.metadata.ownerReferences).toBeUndefined();
    store.delete('configmaps', NAME);
    one.watches.tell();
    await clock.advance(60_000);
    expect(store.find('configmaps', NAME)?.data?.['log']).toContain('"kind":"PowerState"');
  });

  it('is written before the agent ends, but not for a deleted BMC', async () => {
    const { clock, agent, lines } = aScene();
    const [one, gone] = [agent(), agent()];
    one.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    await one.log.close(true);
    expect(lines()).toHaveLength(1);
    gone.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    await gone.log.close(false);
    await clock.advance(60_000);
    expect(lines()).toHaveLength(1);
    expect(clock.timers).toBe(0);
  });

  it('does not block the end of the agent if the API server hangs', async () => {
    const { store, clock, agent } = aScene();
    const { log } = agent();
    store.request = (sent) =>
      new Promise((_, reject) => {
        sent.signal?.addEventListener('abort', () => {
          reject(new Error('aborted'));
        });
      });
    log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    const closed = log.close(true);
    await clock.advance(2_000);
    await closed;
  });
});

describe('changes of the machine in the event log', () => {
  const see = (log: BmcEventLog, vmi: VirtualMachineInstance | undefined): void => {
    log.see((before) => observedStateOf(vmi, before));
  };

  it('are logged once across restarts of the agent', async () => {
    const { clock, agent } = aScene();
    for (const vmi of [
      undefined,
      undefined,
      aVmi(),
      aVmi(),
      aVmi({ uid: 'vmi-2' }),
      aVmi({ uid: 'vmi-2' }),
      undefined,
    ]) {
      const { log } = agent();
      see(log, vmi);
      see(log, vmi);
      await clock.advance(1_000);
    }
    const states = agent()
      .log.entries()
      .map(({ event }) => (event.kind === 'PowerState' ? event.state : event.kind));
    expect(states).toEqual(['On', 'Off', 'On', 'Off']);
  });

  it('are logged once by two concurrent agents, including those that only one has seen', async () => {
    const { clock, agent, lines } = aScene();
    const first = agent();
    see(first.log, undefined);
    await clock.advance(1_000);
    const [one, other] = [agent(), agent()];
    see(one.log, aVmi());
    see(other.log, aVmi());
    other.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    await clock.advance(2_000);
    expect(lines().map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual([
      'PowerState',
      'BootOverrideEnded',
    ]);
    one.watches.tell();
    see(one.log, undefined);
    see(other.log, aVmi({ uid: 'vmi-2' }));
    await clock.advance(10_000);
    for (const seen of [one, other]) seen.watches.tell();
    const states = other.log.entries().map(({ event }) => (event.kind === 'PowerState' ? event.state : event.kind));
    expect(states).toEqual(['On', 'BootOverrideEnded', 'Off', 'On']);
    expect(one.log.entries()).toEqual(other.log.entries());
  });

  it('are not logged before the log is loaded', () => {
    const { store, clock } = aScene();
    const early = new Agent(store, clock);
    see(early.log, aVmi());
    early.watches.tell();
    expect(early.kinds).toEqual([]);
  });
});
