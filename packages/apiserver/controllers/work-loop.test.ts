import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock, silentLogger } from '@groundcrew/controller-runtime/testing';
import { WorkLoop } from './work-loop.ts';

describe('the work on an item', () => {
  let clock: FakeClock;
  let done: string[];
  beforeEach(() => {
    clock = new FakeClock();
    done = [];
  });
  const loopOf = (work: (item: string) => Promise<void>) =>
    new WorkLoop({ clock, logger: silentLogger, work, failure: 'failed' });
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('is done once if the item is added several times before', async () => {
    const loop = loopOf((item) => Promise.resolve(void done.push(item)));
    for (const item of ['a', 'b', 'a']) loop.add(item, item);
    expect(done).toEqual([]);
    await turn();
    expect(done).toEqual(['a', 'b']);
  });

  it('is repeated if the item is added during the work, but not concurrently', async () => {
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

  it('is retried with exponential backoff until it succeeds', async () => {
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

  it('ends when the loop is stopped', async () => {
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
