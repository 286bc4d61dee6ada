import { expect, it } from 'vitest';
import { publishedSchema } from './open-api.ts';

it('publishes x-kubernetes-int-or-string as anyOf at every depth, except in default values', () => {
  const either = { anyOf: [{ type: 'integer' }, { type: 'string' }] };
  expect(
    publishedSchema({
      properties: { size: { 'x-kubernetes-int-or-string': true }, other: { type: 'string' } },
      items: [{ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'string' }] }],
      default: { 'x-kubernetes-int-or-string': true },
    }),
  ).toEqual({
    properties: { size: { 'x-kubernetes-int-or-string': true, ...either }, other: { type: 'string' } },
    items: [{ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'string' }] }],
    default: { 'x-kubernetes-int-or-string': true },
  });
});
