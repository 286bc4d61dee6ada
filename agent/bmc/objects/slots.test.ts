import { expect, it } from 'vitest';
import { Slots } from './slots.ts';

it('runs no more tasks at a time than it has slots, urgent ones first', async () => {
  const slots = new Slots(2);
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<undefined>>();
  const results = (['a', 'b', 'slow', 'fast'] as const).map((name) =>
    slots.run(async () => {
      begun.push(name);
      const end = Promise.withResolvers<undefined>();
      ends.set(name, end);
      await end.promise;
      return name;
    }, name !== 'slow'),
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
