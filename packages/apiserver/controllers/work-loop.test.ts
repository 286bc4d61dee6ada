import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock, silentLogger } from '@groundcrew/controller-runtime/testing';
import { WorkLoop } from './work-loop.ts';

describe('work on items', () => {
  let clock: FakeClock;
  let done: string[];
  beforeEach(() => {
    clock = new FakeClock();
    done = [];
  });
  const loopOf = (work: (item: string) => Promise<void>) =>
    new WorkLoop({ clock, logger: silentLogger, work, failure: 'failed' });
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('is done once for an item that was added several times', async () => {
    const loop = loopOf((item) => Promise.resolve(void done.push(item)));
    for (const item of ['a', 'b', 'a']) loop.add(item, item);
    expect(done).toEqual([]);
    await turn();
    expect(done).toEqual(['a', 'b']);
  });

  it('is done again for an item that is added during the work, and never concurrently', async () => {
    let running = 0;
    const loop = loopOf(async (item) => {
      expect((running += 1)).toBe(1);
      if (done.push(item) === 1) loop.add('a', 'a');
      await turn();
      running -= 1;
    });
    loop.add('a', 'a');
    await expect.poll(() => done).toEqual(['a', 'a']);
  });

  it('is retried after a failure with growing delays until it succeeds', async () => {
    let failures = 3;
    const loop = loopOf((item) => {
      done.push(item);
      return (failures -= 1) < 0 ? Promise.resolve() : Promise.reject(new Error('not yet'));
    });
    loop.add('a', 'a');
    await turn();
    for (const [seconds, times] of [
      [1, 2],
      [2, 3],
      [4, 4],
      [100, 4],
    ] as const) {
      await clock.advance(seconds * 1000);
      await turn();
      expect(done).toHaveLength(times);
    }
  });

  it('ends when it is stopped', async () => {
    const loop = loopOf((item) => {
      done.push(item);
      return Promise.reject(new Error('never'));
    });
    loop.add('a', 'a');
    await turn();
    loop.add('b', 'b');
    loop.stop();
    loop.add('c', 'c');
    await clock.advance(100_000);
    await turn();
    expect(done).toEqual(['a']);
  });
});
