import { describe, expect, it } from 'vitest';
import type { ObjectRef } from '../objects.ts';
import { FakeClock } from '../testing/index.ts';
import { Queue } from './queue.ts';

const A: ObjectRef = { namespace: 'default', name: 'a' };
const B: ObjectRef = { namespace: 'default', name: 'b' };

function setUp() {
  const clock = new FakeClock();
  const queue = new Queue({ name: 'test', clock });
  /** The name that a worker would get now, if any. */
  const takenNow = async (): Promise<string | undefined> => {
    if (queue.depth === 0) return undefined;
    return (await queue.take())?.name;
  };
  return { clock, queue, takenNow };
}

describe('Queue', () => {
  it('hands out names in the order of their adds, each once', async () => {
    const { queue, takenNow } = setUp();
    for (const ref of [A, B, { ...A }]) queue.add(ref);
    expect([await takenNow(), await takenNow(), await takenNow()]).toEqual(['a', 'b', undefined]);
  });

  it('hands out a name once more if it was added while in progress', async () => {
    const { queue, takenNow } = setUp();
    queue.add(A);
    await queue.take();
    queue.add(A);
    queue.add(A);
    expect(queue.depth).toBe(0);
    queue.done(A);
    expect([await takenNow(), await takenNow()]).toEqual(['a', undefined]);
  });

  it.each([
    [50, 100],
    [100, 50],
  ])('keeps the earlier of two delays (%i ms, %i ms)', async (first, second) => {
    const { clock, queue, takenNow } = setUp();
    queue.addAfter(A, first);
    queue.addAfter(A, second);
    await clock.advance(50);
    expect(await takenNow()).toBe('a');
    queue.done(A);
    await clock.advance(100);
    expect(await takenNow()).toBeUndefined();
  });

  it.each([
    ['forward', 3_600_000, 100, 50],
    ['back', -3_600_000, 50, 100],
  ])("keeps the earlier of two delays when the system's time is set %s in between", async (_, step, first, second) => {
    const { clock, queue, takenNow } = setUp();
    queue.addAfter(A, first);
    clock.set(step);
    queue.addAfter(A, second);
    await clock.advance(50);
    expect(await takenNow()).toBe('a');
  });

  it('cancels a delayed add of a name that is added now', async () => {
    const { clock, queue, takenNow } = setUp();
    queue.addAfter(A, 100);
    queue.add(A);
    expect(await takenNow()).toBe('a');
    queue.done(A);
    await clock.advance(100);
    expect(queue.depth).toBe(0);
  });

  it('doubles the delay of each retry from 5 ms to 1000 s, until forget', async () => {
    const { clock, queue, takenNow } = setUp();
    const delays: number[] = [];
    for (let i = 0; i < 20; i += 1) {
      const before = clock.now();
      queue.addRateLimited(A);
      while (queue.depth === 0) await clock.advance(delays.length === 0 ? 5 : 5 * 2 ** Math.max(0, delays.length - 6));
      delays.push(clock.now() - before);
      await takenNow();
      queue.done(A);
    }
    expect(delays.slice(0, 6)).toEqual([5, 10, 20, 40, 80, 160]);
    expect(delays.at(-1)).toBeGreaterThanOrEqual(1_000_000);
    expect(delays.at(-1)).toBeLessThan(1_100_000);
    queue.forget(A);
    queue.addRateLimited(A);
    await clock.advance(5);
    expect(queue.depth).toBe(1);
  });

  it('releases its workers and timers on close, and accepts no further names', async () => {
    const { clock, queue } = setUp();
    const waiting = queue.take();
    queue.addAfter(B, 100);
    queue.close();
    queue.add(A);
    queue.addAfter(A, 100);
    queue.addRateLimited(A);
    expect(await waiting).toBeUndefined();
    expect(await queue.take()).toBeUndefined();
    expect(clock.timers).toBe(0);
  });
});
