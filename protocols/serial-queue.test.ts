import { describe, expect, it } from 'vitest';
import { SerialQueue } from './serial-queue.ts';

describe('SerialQueue', () => {
  it('runs a task synchronously if the queue is empty', () => {
    expect(new SerialQueue(2).run(() => 'now')).toBe('now');
  });

  it('passes on a synchronous throw', () => {
    expect(() => new SerialQueue(2).run(() => JSON.parse('{') as unknown)).toThrow(SyntaxError);
  });

  it('runs tasks one at a time in order, also after a failed task', async () => {
    const queue = new SerialQueue(3);
    const log: string[] = [];
    const task =
      (name: string, fails = false) =>
      async () => {
        log.push(`${name} starts`);
        await Promise.resolve();
        log.push(`${name} ends`);
        if (fails) throw new Error(name);
      };
    const results = await Promise.allSettled([
      queue.run(task('a')),
      queue.run(task('b', true)),
      queue.run(() => {
        log.push('c');
      }),
    ]);
    expect(log).toEqual(['a starts', 'a ends', 'b starts', 'b ends', 'c']);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('is full at its limit and empty after all tasks ended', async () => {
    const queue = new SerialQueue(2);
    const first = queue.run(() => Promise.resolve(1));
    const second = queue.run(() => 2);
    expect(queue.isFull).toBe(true);
    expect([await first, await second]).toEqual([1, 2]);
    expect(queue.isFull).toBe(false);
    expect(queue.run(() => 3)).toBe(3);
  });
});
