import { describe, expect, it } from 'vitest';
import { FakeClock, silentLogger } from '@groundcrew/controller-runtime/testing';
import { FleetFeed } from './fleet-feed.ts';
import { aBmc, aCluster, NOW, secondsAgo } from '../status/testing/builders.ts';
import { FakeSource } from './testing/fake-source.ts';

function setUp() {
  const clock = new FakeClock();
  const sources: FakeSource[] = [];
  const source = (): FakeSource => {
    sources.push(new FakeSource());
    return newest();
  };
  const newest = (): FakeSource => sources.at(-1) ?? expect.fail('nothing is watched');
  const feed = new FleetFeed({ clock, logger: silentLogger, source });
  const listen = () => {
    const told: string[] = [];
    const leave = feed.subscribe({
      status: ({ bmcs }) => told.push(`status ${bmcs.map(({ phase }) => phase).join()}`),
      change: ({ set }) => told.push(`change ${(set.bmcs ?? []).map(({ phase }) => phase).join()}`),
      lost: (message) => told.push(`lost: ${message}`),
      found: () => told.push('found'),
    });
    return { told, leave };
  };
  return { clock, feed, sources, newest, listen };
}

describe('FleetFeed', () => {
  it('tells the status first, and then what changes', async () => {
    const { clock, newest, listen } = setUp();
    const { told } = listen();
    await clock.advance(250);
    newest().change('Degraded');
    await clock.advance(1000);
    expect(told).toEqual(['status Ready', 'change Degraded']);
    expect(listen().told).toEqual(['status Degraded']);
  });

  it('waits until each list was read', async () => {
    const { clock, newest, listen } = setUp();
    const { told } = listen();
    newest().isComplete = false;
    await clock.advance(5000);
    expect(told).toEqual([]);
    newest().isComplete = true;
    await clock.advance(250);
    expect(told).toEqual(['status Ready']);
  });

  it('evaluates at most once a second, only after changes, and every 15 s', async () => {
    const { clock, newest, listen } = setUp();
    listen();
    await clock.advance(250);
    const before = newest().reads;
    for (let count = 0; count < 100; count += 1) {
      newest().change(count % 2 === 0 ? 'Degraded' : 'Ready');
      await clock.advance(100);
    }
    expect(newest().reads - before).toBe(10);
    await clock.advance(1000);
    const quiet = newest().reads;
    await clock.advance(13_000);
    expect(newest().reads - quiet).toBe(0);
    await clock.advance(3000);
    expect(newest().reads - quiet).toBe(1);
  });

  it('tells a problem that comes by the passing of time, without an event', async () => {
    const { clock, feed, newest, listen } = setUp();
    const { told } = listen();
    const bmc = { ...aBmc(), status: {} };
    const bmcs = [{ ...bmc, metadata: { ...bmc.metadata, creationTimestamp: secondsAgo(50) } }];
    newest().inputs = aCluster({ bmcs });
    await clock.advance(250);
    expect((await feed.overview()).problems).toEqual([]);
    newest().inputs = { ...newest().inputs, now: NOW + 15_000 };
    await clock.advance(15_000);
    expect(told).toEqual(['status Unseen', 'change ']);
    expect((await feed.overview()).problems).toMatchObject([{ reason: 'NotReconciled' }]);
  });

  it('watches the cluster only while a browser listens, and a minute longer', async () => {
    const { clock, sources, newest, listen } = setUp();
    expect([sources.length, clock.timers]).toEqual([0, 0]);
    const one = listen();
    const other = listen();
    expect(sources).toHaveLength(1);
    one.leave();
    await clock.advance(120_000);
    expect(newest().isRunning).toBe(true);
    other.leave();
    await clock.advance(59_000);
    listen().leave();
    await clock.advance(59_000);
    expect(newest().isRunning).toBe(true);
    await clock.advance(1000);
    expect([newest().isRunning, clock.timers]).toEqual([false, 0]);
    listen();
    expect(sources).toHaveLength(2);
  });

  it('says when the API server is lost, tells nothing until it is found, and then what has changed', async () => {
    const { clock, newest, listen } = setUp();
    const { told } = listen();
    await clock.advance(250);
    newest().outage = 'connect ECONNREFUSED';
    await clock.advance(250);
    newest().isConnected = false;
    newest().change('Degraded');
    await clock.advance(60_000);
    expect(told.splice(0)).toEqual(['status Ready', 'lost: connect ECONNREFUSED']);
    newest().outage = 'Unauthorized';
    await clock.advance(500);
    expect(told.splice(0)).toEqual(['lost: Unauthorized']);
    expect(listen().told).toEqual(['status Ready', 'lost: Unauthorized']);
    newest().isConnected = true;
    await clock.advance(1000);
    expect(told).toEqual([]);
    newest().outage = undefined;
    await clock.advance(250);
    expect(told).toEqual(['found', 'change Degraded']);
  });

  it('survives a status that cannot be evaluated', async () => {
    const { clock, newest, listen } = setUp();
    const { told } = listen();
    newest().inputs = {} as never;
    await clock.advance(5000);
    newest().change('Degraded');
    await clock.advance(1000);
    expect(told).toEqual(['status Degraded']);
  });

  it('gives the status once, or says that the API server does not answer', async () => {
    const { clock, feed, newest } = setUp();
    const asked = feed.overview();
    await clock.advance(250);
    expect(await asked).toMatchObject({ healthy: true });
    newest().outage = 'connect ECONNREFUSED';
    newest().isConnected = false;
    await clock.advance(250);
    await expect(feed.overview()).rejects.toMatchObject({ status: 504 });
    await clock.advance(60_000);
    const early = feed.overview();
    newest().isComplete = false;
    const refused = expect(early).rejects.toMatchObject({ status: 504 });
    await clock.advance(20_000);
    await refused;
  });

  it('leaves nothing behind when it is closed', async () => {
    const { clock, feed, newest, listen } = setUp();
    listen();
    await clock.advance(250);
    await feed.close();
    expect([newest().isRunning, clock.timers]).toEqual([false, 0]);
  });
});
