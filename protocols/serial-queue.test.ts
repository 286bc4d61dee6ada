import { describe, expect, it } from 'vitest';
import { SerialQueue } from './serial-queue.ts';

describe('SerialQueue', () => {
  it('answers at once where nothing waits', () => {
    expect(new SerialQueue(2).run(() => 'now')).toBe('now');
  });

  it('lets a throw through', () => {
    expect(() => new SerialQueue(2).run(() => JSON.parse('{') as unknown)).toThrow(SyntaxError);
  });

  it('runs one task at a time, in their order, also past one that fails', async () => {
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

  it('is full at its limit and empty again afterwards', async () => {
    const queue = new SerialQueue(2);
    const first = queue.run(() => Promise.resolve(1));
    const second = queue.run(() => 2);
    expect(queue.isFull).toBe(true);
    expect([await first, await second]).toEqual([1, 2]);
    expect(queue.isFull).toBe(false);
    expect(queue.run(() => 3)).toBe(3);
  });
});
