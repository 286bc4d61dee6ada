import { describe, expect, it } from 'vitest';
import type { Schema } from '../schema/index.ts';
import { isConvertible, structuralErrors } from './structural.ts';

const check = (spec: Schema) =>
  structuralErrors({ type: 'object', properties: { spec } }, 'schema').map(
    ({ field, message }) => `${field}: ${message}`,
  );
const SPEC = 'schema.properties[spec]';

describe('a structural schema', () => {
  it('may hold what our CRDs hold', () => {
    const port: Schema = { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] };
    const list: Schema = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: { type: 'object', required: ['type'], properties: { type: { type: 'string' } } },
    };
    const free: Schema = { 'x-kubernetes-preserve-unknown-fields': true };
    expect(check({ type: 'object', properties: { port, list, free } })).toEqual([]);
  });

  it.each<[string, Schema, string]>([
    ['no type', { properties: {} }, `${SPEC}.type: Required value: must not be empty for specified object fields`],
    ['an array of anything', { type: 'array' }, `${SPEC}.items: Required value: must be specified`],
    [
      'a type in a junctor',
      { type: 'string', anyOf: [{ type: 'string' }] },
      `${SPEC}.anyOf[0].type: Forbidden: must be empty to be structural`,
    ],
  ])('may not have %s', (_what, schema, message) => {
    expect(check(schema)).toContain(message);
  });

  it('is none with what cannot be converted to it', () => {
    expect(isConvertible({ type: 'array', items: [{ type: 'string' }] as unknown as Schema })).toBe(false);
    expect(isConvertible({ type: 'object', 'x-kubernetes-preserve-unknown-fields': false })).toBe(false);
    expect(isConvertible({ type: 'object', properties: { a: { $ref: '#/x' } } })).toBe(false);
    expect(isConvertible({ type: 'object', properties: { a: { type: 'string' } } })).toBe(true);
  });
});
