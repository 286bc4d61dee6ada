import { expect, it } from 'vitest';
import { alternate } from './alternate.ts';

it('takes turns until each has had its runs', async () => {
  const order: string[] = [];
  const turns = (subject: string, runs: number) => ({
    subject,
    runs,
    measure: () => Promise.resolve(order.push(subject)),
  });
  expect(await alternate([turns('a', 3), turns('b', 1)])).toEqual([
    { subject: 'a', values: [1, 3, 4] },
    { subject: 'b', values: [2] },
  ]);
  expect(order).toEqual(['a', 'b', 'a', 'a']);
});
