import { expect, it } from 'vitest';
import { remembered } from './remembered.ts';

it('computes again only for another argument', () => {
  const arguments_: (string | undefined)[] = [];
  const of = remembered((from: string | undefined) => {
    arguments_.push(from);
    return { from };
  });
  const results = [of(undefined), of(undefined), of('a'), of('a'), of(undefined)];
  expect(results.map(({ from }) => from)).toEqual([undefined, undefined, 'a', 'a', undefined]);
  expect(arguments_).toEqual([undefined, 'a', undefined]);
});
