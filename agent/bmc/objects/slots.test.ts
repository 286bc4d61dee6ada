import { expect, it } from 'vitest';
import { Slots } from './slots.ts';

it('runs no more tasks at a time than it has slots, in order of their ranks', async () => {
  const slots = new Slots(2);
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<undefined>>();
  const results = (['a', 'b', 'slow', 'fast'] as const).map((name) =>
    slots.run(
      async () => {
        begun.push(name);
        const end = Promise.withResolvers<undefined>();
        ends.set(name, end);
        await end.promise;
        return name;
      },
      { rank: name === 'slow' ? 'last' : 'first' },
    ),
  );
  await Promise.resolve();
  expect(begun).toEqual(['a', 'b']);
  ends.get('a')?.resolve(undefined);
  await results[0];
  await Promise.resolve();
  expect(begun).toEqual(['a', 'b', 'fast']);
  // A failed task frees its slot too.
  ends.get('b')?.reject(new Error('b'));
  await expect(results[1]).rejects.toThrow('b');
  await Promise.resolve();
  expect(begun).toEqual(['a', 'b', 'fast', 'slow']);
  for (const end of ends.values()) end.resolve(undefined);
  expect(await Promise.all(results.slice(2))).toEqual(['slow', 'fast']);
});

it('gives a slot to the latest of those that are given up after some time', async () => {
  const slots = new Slots(1);
  const begun: string[] = [];
  const held = Promise.withResolvers<undefined>();
  const running = slots.run(() => held.promise);
  const waiting = ['a', 'b', 'c'].map((name) => slots.run(() => Promise.resolve(begun.push(name)), { rank: 'latest' }));
  waiting.push(slots.run(() => Promise.resolve(begun.push('first'))));
  held.resolve(undefined);
  await Promise.all([running, ...waiting]);
  expect(begun).toEqual(['first', 'c', 'b', 'a']);
});

it('ends the wait of a task that is aborted', async () => {
  const slots = new Slots(1);
  const first = Promise.withResolvers<undefined>();
  const running = slots.run(() => first.promise);
  const stop = new AbortController();
  const waiting = slots.run(() => Promise.resolve('begun'), { signal: stop.signal });
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  first.resolve(undefined);
  await running;
  expect(await slots.run(() => Promise.resolve('next'))).toBe('next');
});
