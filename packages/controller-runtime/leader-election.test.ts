import { describe, expect, it } from 'vitest';
import { KubeClient } from './client.ts';
import { CONFIG_MAPS, type Lease } from './core.ts';
import { Metrics } from './metrics.ts';
import { type Clock, sleep } from './clock.ts';
import { FakeClock, ScriptedApi, silentLogger } from './testing/index.ts';
import { LeaderElection, LeadershipLostError } from './leader-election.ts';

const PATH = '/apis/coordination.k8s.io/v1/namespaces/system/leases/manager';

class Candidate {
  readonly stop = new AbortController();
  readonly election: LeaderElection;
  /** Events with their time in milliseconds. */
  readonly events: [string, number][] = [];
  readonly finished: Promise<unknown>;
  /** Whether the API server answers this process. */
  connected = true;
  /** Milliseconds from the work of the API server to its answer. */
  latency = 0;

  constructor(api: ScriptedApi, clock: Clock, identity: string, options: { drain?: number; metrics?: Metrics } = {}) {
    const began = clock.now();
    const note = (event: string): void => {
      this.events.push([event, clock.now() - began]);
    };
    const client = new KubeClient({
      transport: {
        request: async (request) => {
          if (this.connected) {
            const answer = await api.request(request);
            const { signal = new AbortController().signal } = request;
            if (this.latency > 0) await sleep(clock, this.latency, signal);
            signal.throwIfAborted();
            return answer;
          }
          // Simulates a network partition: the request gets no answer until the caller gives up.
          return await new Promise((_, reject) => {
            request.signal?.addEventListener('abort', () => {
              reject(new Error('aborted'));
            });
          });
        },
        close: () => Promise.resolve(),
      },
      fieldManager: identity,
    });
    const election = new LeaderElection({
      client,
      namespace: 'system',
      name: 'manager',
      identity,
      clock,
      random: () => 0,
      logger: silentLogger,
      ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
    });
    this.election = election;
    this.finished = election
      .run(this.stop.signal, async (signal, { wasReleased }) => {
        note(wasReleased ? 'leads after a release' : 'leads');
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve);
        });
        note('told to stop');
        // An idle leader has nothing to wait for.
        if (options.drain !== undefined) await sleep(clock, options.drain, new AbortController().signal);
        note('stopped');
      })
      .then(
        () => {
          note('ended');
        },
        (error: unknown) => {
          note(error instanceof LeadershipLostError ? 'lost' : 'failed');
        },
      );
  }
}

/** Its methods as functions, so that one can be replaced. */
function clockOf(clock: FakeClock): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    setTimeout: (callback, milliseconds) => clock.setTimeout(callback, milliseconds),
  };
}

function setUp() {
  const api = new ScriptedApi();
  const clock = new FakeClock();
  const spec = (): Lease['spec'] => {
    const lease: Lease | undefined = api.objects.get(PATH);
    return lease?.spec;
  };
  return { api, clock, spec };
}

describe('LeaderElection', () => {
  it('creates the Lease with times in microseconds, and renews it every 2 s', async () => {
    const { api, clock, spec } = setUp();
    const one = new Candidate(api, clock, 'one');
    await clock.advance(0);
    expect(spec()).toEqual({
      holderIdentity: 'one',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
    await clock.advance(5000);
    expect(spec()).toMatchObject({
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:04.000000Z',
      leaseTransitions: 0,
    });
    expect(one.events).toEqual([['leads', 0]]);
  });

  it('lets the second process wait, and releases the Lease when the work of the leader has ended', async () => {
    const { api, clock, spec } = setUp();
    const one = new Candidate(api, clock, 'one', { drain: 20_000 });
    await clock.advance(0);
    const two = new Candidate(api, clock, 'two');
    await clock.advance(60_000);
    expect(two.events).toEqual([]);
    one.stop.abort();
    // Longer than the lease duration: the leader still renews.
    await clock.advance(19_999);
    expect(two.events).toEqual([]);
    await clock.advance(1);
    await one.finished;
    expect(one.events.slice(1).map(([event]) => event)).toEqual(['told to stop', 'stopped', 'ended']);
    // Much earlier than the 15 s after which an unreleased lease expires.
    await clock.advance(2000);
    expect(two.events.map(([event]) => event)).toEqual(['leads after a release']);
    expect(spec()).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 });
  });

  it('releases the Lease, too, when a renewal is on the way at the end', async () => {
    const { api, clock } = setUp();
    const one = new Candidate(api, clock, 'one');
    await clock.advance(1000);
    const two = new Candidate(api, clock, 'two');
    // It renews at 2 s, and would have the answer at 2.5 s.
    one.latency = 500;
    await clock.advance(1100);
    one.stop.abort();
    await clock.advance(4000);
    await one.finished;
    expect(two.events.map(([event]) => event)).toEqual(['leads after a release']);
  });

  it('releases the Lease, too, when that renewal arrives behind the read', async () => {
    const { api, clock } = setUp();
    const one = new Candidate(api, clock, 'one');
    await clock.advance(1000);
    const two = new Candidate(api, clock, 'two');
    let conflicts = 0;
    api.intercept = ({ method }) => {
      if (method !== 'PUT' || conflicts >= 2) return undefined;
      conflicts += 1;
      api.put(PATH, { ...api.objects.get(PATH) } as never);
      return undefined;
    };
    one.stop.abort();
    await clock.advance(4000);
    await one.finished;
    expect(conflicts).toBe(2);
    expect(two.events.map(([event]) => event)).toEqual(['leads after a release']);
  });

  it('does not release the Lease of another process', async () => {
    const { api, clock, spec } = setUp();
    const one = new Candidate(api, clock, 'one');
    await clock.advance(100);
    const taken: Lease | undefined = api.objects.get(PATH);
    api.put(PATH, { ...taken, spec: { ...taken?.spec, holderIdentity: 'two' } } as never);
    one.stop.abort();
    await clock.advance(4000);
    await one.finished;
    expect(spec()).toMatchObject({ holderIdentity: 'two' });
  });

  it('takes over the Lease of a dead leader 15 s after the last observed renewal, by its own clock', async () => {
    const { api, clock } = setUp();
    const dead = { holderIdentity: 'dead', leaseDurationSeconds: 15, renewTime: '2031-01-01T00:00:00.000000Z' };
    api.put(PATH, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', spec: dead } as never);
    const two = new Candidate(api, clock, 'two');
    await clock.advance(15_000);
    expect(two.events).toEqual([]);
    await clock.advance(2000);
    expect(two.events).toEqual([['leads', 16_000]]);
  });

  it('gives up 10 s after its last renewal if the API server does not answer, before another process can lead', async () => {
    const { api, clock } = setUp();
    const one = new Candidate(api, clock, 'one', { drain: 60_000 });
    await clock.advance(0);
    const two = new Candidate(api, clock, 'two');
    await clock.advance(1000);
    one.connected = false;
    await clock.advance(30_000);
    // Immediately, without waiting for its work.
    expect(one.events.slice(0, 3)).toEqual([
      ['leads', 0],
      ['told to stop', 10_000],
      ['lost', 10_000],
    ]);
    expect(two.events[0]?.[0]).toBe('leads');
    expect(two.events[0]?.[1]).toBeGreaterThanOrEqual(15_000);
    expect(two.events[0]?.[1]).toBeLessThanOrEqual(18_000);
  });

  it('gives up 10 s after the request of its last renewal, however late the answer was', async () => {
    const { api, clock, spec } = setUp();
    const one = new Candidate(api, clock, 'one');
    await clock.advance(1000);
    // It renews at 2 s, and has the answer at 6 s.
    one.latency = 4000;
    await clock.advance(4500);
    expect(spec()?.renewTime).toBe('2026-01-01T00:00:02.000000Z');
    one.connected = false;
    await clock.advance(30_000);
    expect(one.events.find(([event]) => event === 'lost')).toEqual(['lost', 12_000]);
  });

  it('takes the Lease of a server that needs 3.9 s for an answer, and keeps it while answers take 4.9 s', async () => {
    const { api, clock } = setUp();
    const one = new Candidate(api, clock, 'one');
    // A look and a write.
    one.latency = 3900;
    await clock.advance(7800);
    one.latency = 4900;
    await clock.advance(60_000);
    expect(one.events).toEqual([['leads', 7800]]);
  });

  it('gives up immediately when another process has taken the Lease', async () => {
    const { api, clock, spec } = setUp();
    const one = new Candidate(api, clock, 'one', { drain: 60_000 });
    await clock.advance(1000);
    api.put(PATH, { apiVersion: 'v1', kind: 'Lease', spec: { ...spec(), holderIdentity: 'thief' } } as never);
    await clock.advance(1000);
    expect(one.events.slice(0, 3)).toContainEqual(['lost', 2000]);
    expect(spec()?.holderIdentity).toBe('thief');
  });

  it.each(['partition', 'thief'])('fails when an idle leader loses the Lease by a %s', async (cause) => {
    const { api, clock, spec } = setUp();
    const one = new Candidate(api, clock, 'one');
    await clock.advance(1000);
    if (cause === 'partition') one.connected = false;
    else api.put(PATH, { apiVersion: 'v1', kind: 'Lease', spec: { ...spec(), holderIdentity: 'thief' } } as never);
    await clock.advance(30_000);
    await one.finished;
    expect(one.events.map(([event]) => event)).toEqual(['leads', 'told to stop', 'stopped', 'lost']);
    expect(clock.timers).toBe(0);
  });

  it('refuses writes unless it leads, and after a pause before its timers fire', async () => {
    const { api, clock } = setUp();
    api.put('/api/v1/namespaces/system/configmaps/a', { apiVersion: 'v1', kind: 'ConfigMap' });
    let paused = 0;
    const stalled = { ...clockOf(clock), monotonic: () => clock.monotonic() + paused };
    const one = new Candidate(api, stalled, 'one');
    const client = one.election.fence(new KubeClient({ transport: api, fieldManager: 'one' }));
    const mayWrite = async (): Promise<boolean> => {
      const written = client.patch(CONFIG_MAPS, { namespace: 'system', name: 'a' }, 'merge', {});
      return await written.then(
        () => true,
        (error: unknown) => {
          if (error instanceof LeadershipLostError) return false;
          throw error;
        },
      );
    };
    expect(await mayWrite()).toBe(false);
    await clock.advance(1000);
    clock.set(86_400_000);
    expect(await mayWrite()).toBe(true);
    clock.set(-2 * 86_400_000);
    await clock.advance(60_000);
    expect(await mayWrite()).toBe(true);
    paused = 10_000;
    expect(await mayWrite()).toBe(false);
    paused = 0;
    one.stop.abort();
    await one.finished;
    expect(await mayWrite()).toBe(false);
  });

  it('survives conflicts and errors that end before the renew deadline', async () => {
    const { api, clock } = setUp();
    const one = new Candidate(api, clock, 'one');
    await clock.advance(1000);
    api.intercept = () => ({ status: 500, body: 'etcd is down' });
    await clock.advance(6500);
    api.intercept = () => undefined;
    await clock.advance(60_000);
    expect(one.events).toEqual([['leads', 0]]);
  });

  it('ends without leading and without a timer when it is stopped while it waits', async () => {
    const { api, clock } = setUp();
    api.put(PATH, {
      apiVersion: 'v1',
      kind: 'Lease',
      spec: { holderIdentity: 'x', leaseDurationSeconds: 15 },
    } as never);
    const two = new Candidate(api, clock, 'two');
    await clock.advance(5000);
    two.stop.abort();
    await two.finished;
    expect(two.events).toEqual([['ended', 5000]]);
    expect(clock.timers).toBe(0);
  });

  it('never has two leaders while three processes lose their connections at random times', async () => {
    const { api, clock } = setUp();
    const candidates = ['one', 'two', 'three'].map((identity) => new Candidate(api, clock, identity));
    for (let i = 0; i < 40; i += 1) {
      candidates.forEach((candidate, n) => (candidate.connected = (i * 7 + n * 3) % 5 !== 0));
      await clock.advance(3700);
      const leading = candidates.filter(({ events }) => events.at(-1)?.[0] === 'leads');
      expect(leading.length).toBeLessThanOrEqual(1);
    }
  });

  it('exports in the metrics whether it leads', async () => {
    const { api, clock } = setUp();
    const metrics = new Metrics();
    const one = new Candidate(api, clock, 'one', { metrics });
    await clock.advance(0);
    expect(await metrics.text()).toContain('leader_election_master_status{name="manager"} 1');
    one.stop.abort();
    await clock.advance(0);
    await one.finished;
    expect(await metrics.text()).toContain('leader_election_master_status{name="manager"} 0');
  });

  it('rejects durations that would permit two leaders', () => {
    const { api, clock } = setUp();
    const client = new KubeClient({ transport: api, fieldManager: 'x' });
    const options = { client, namespace: 'system', name: 'manager', identity: 'x', clock, logger: silentLogger };
    expect(() => new LeaderElection({ ...options, leaseDuration: 10_000 })).toThrow(TypeError);
  });
});
