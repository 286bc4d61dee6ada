import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import type { Schema } from '../schema/index.ts';
import { typeErrors } from './structure.ts';

const schema: Schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    number: { type: 'integer' },
    flag: { type: 'boolean' },
    port: { 'x-kubernetes-int-or-string': true },
    map: { type: 'object', additionalProperties: { type: 'string' } },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    list: { type: 'array', items: { type: 'string' } },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    keyed: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: { type: 'string' }, value: { type: 'string' } } },
    },
  },
};

describe('a valid applied value', () => {
  it.each<JsonObject>([
    { text: 'x', number: 1.5, flag: true, port: 'http', map: { any: 'x' }, free: { any: [1, { thing: null }] } },
    { port: 80, text: null, list: null },
    { set: ['a', 'b'], keyed: [{ name: 'a' }, { name: 'b', value: 'x' }], list: ['a', 'a'] },
  ])('%j', (value) => {
    expect(typeErrors(value, schema)).toEqual([]);
  });
});

describe('an invalid applied value', () => {
  it.each<[JsonObject, string]>([
    [{ text: 3 }, '.text: expected string, got 3'],
    [{ number: 'x' }, '.number: expected number, got "x"'],
    [{ flag: 'x' }, '.flag: expected boolean, got "x"'],
    [{ port: { a: 1 } }, '.port: expected a scalar, got {"a":1}'],
    [{ map: ['x', 'y'] }, '.map: expected map, got ["x","y"]'],
    [{ map: { a: 1 } }, '.map.a: expected string, got 1'],
    [{ list: 'x' }, '.list: expected list, got "x"'],
    [{ list: ['a', 1] }, '.list[1]: expected string, got 1'],
    [{ other: 1 }, '.other: field not declared in schema'],
    [{ set: ['a', 'a'] }, '.set: duplicate entries for key [="a"]'],
    [{ keyed: [{ name: 'a', other: 1 }] }, '.keyed[name="a"].other: field not declared in schema'],
    [{ keyed: [{ value: 'x' }] }, '.keyed: element 0: an element has none of the keys name'],
  ])('%j', (value, problem) => {
    expect(typeErrors(value, schema)).toEqual([problem]);
  });

  it('has the errors of all fields before the first unknown one', () => {
    expect(typeErrors({ flag: 1, number: 'x' }, schema)).toHaveLength(2);
    expect(typeErrors({ flag: 1, no: 1, number: 'x' }, schema)).toHaveLength(2);
  });
});
