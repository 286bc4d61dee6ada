import { expect, it } from 'vitest';
import { publishedSchema } from './open-api.ts';

it('says "integer or string" in the words of OpenAPI, wherever a schema stands', () => {
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
