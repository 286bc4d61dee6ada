import type { LookupAddress } from 'node:dns';
import { expect, it } from 'vitest';
import { alwaysTo } from './always-to.ts';

it('returns only the evaluated addresses, with and without `all`', () => {
  const answers: unknown[] = [];
  const note = (_error: unknown, address: string | LookupAddress[], family?: number): void => {
    answers.push([address, family]);
  };
  alwaysTo(['192.0.2.80', '2001:db8::80'])('rebinding.example', { all: true }, note);
  alwaysTo(['2001:db8::80'])('rebinding.example', {}, note);
  expect(answers).toEqual([
    [
      [
        { address: '192.0.2.80', family: 4 },
        { address: '2001:db8::80', family: 6 },
      ],
      undefined,
    ],
    ['2001:db8::80', 6],
  ]);
});
