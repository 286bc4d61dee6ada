import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../objects.ts';
import { Stored } from '../store/index.ts';
import { conversionOf } from './conversion.ts';

const schema = (fields: object) => ({
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: fields } } },
});
const text = { type: 'string' };
const definition = (generation: number) =>
  ({
    metadata: { name: 'a', generation },
    spec: {
      group: 'g',
      versions: [
        { name: 'v1', storage: true, schema: schema({ a: text, old: text, later: { type: 'string', default: 'x' } }) },
        { name: 'v2', storage: false, schema: schema({ a: text, own: text }) },
      ],
    },
  }) as unknown as ApiObject;
const object = (apiVersion: string, spec: object) =>
  ({ apiVersion, kind: 'K', metadata: { name: 'a' }, spec }) as unknown as ApiObject;

describe('conversion between versions', () => {
  it('prunes fields that are unknown in the other version', () => {
    const [one, two] = [conversionOf(definition(1), 'g/v1'), conversionOf(definition(1), 'g/v2')];
    if (one === undefined || two === undefined) throw new Error('no conversion');
    const stored = new Stored(object('g/v1', { a: 'a', old: 'b', gone: 'c' }), 3);
    expect(one.view(stored).object).toEqual(object('g/v1', { a: 'a', old: 'b', later: 'x' }));
    expect(two.view(stored).object).toEqual(object('g/v2', { a: 'a' }));
    expect(two.view(stored)).toBe(two.view(stored));
    expect(two.encode(object('g/v2', { a: 'a', own: 'b' }))).toEqual(object('g/v1', { a: 'a' }));
    const whole = new Stored(object('g/v1', { a: 'a', later: 'y' }), 3);
    expect(one.view(whole)).toBe(whole);
  });

  it('is not needed for a single version without schema changes', () => {
    const single = definition(1);
    (single['spec'] as { versions: object[] }).versions.pop();
    expect(conversionOf(single, 'g/v1')).toBeUndefined();
    expect(conversionOf({ ...single, metadata: { ...single.metadata, generation: 2 } }, 'g/v1')).toBeDefined();
  });
});
