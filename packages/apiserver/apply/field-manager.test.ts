import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Schema } from '../schema/index.ts';
import { FieldManager } from './field-manager.ts';
import { FieldSet } from './field-set.ts';

const schema: Schema = {
  type: 'object',
  properties: {
    metadata: { type: 'object', properties: { labels: { type: 'object', additionalProperties: { type: 'string' } } } },
    spec: {
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { type: 'string' },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            properties: {
              port: { type: 'integer' },
              protocol: { type: 'string', default: 'TCP' },
              name: { type: 'string' },
            },
          },
        },
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        list: { type: 'array', items: { type: 'string' } },
        selector: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
      },
    },
  },
};
const manager = new FieldManager(schema, { reset: () => FieldSet.empty });
const live = (spec: JsonObject = {}): ApiObject => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x' }, spec });
const apply = (object: ApiObject, who: string, spec: JsonObject, force = false, now = '2026-01-01T00:00:00Z') =>
  manager.apply(
    object,
    { apiVersion: 'v1', kind: 'Thing', spec },
    { manager: who, operation: 'Apply', apiVersion: 'v1' },
    force,
    now,
  );
const owned = (object: ApiObject, who: string) =>
  object.metadata.managedFields?.find((entry) => entry.manager === who)?.fieldsV1;

describe('server-side apply', () => {
  it('sets the applied fields and records their owner', () => {
    const object = apply(live(), 'me', { a: '1', ports: [{ port: 80 }] });
    expect(object['spec']).toEqual({ a: '1', ports: [{ port: 80 }] });
    expect(owned(object, 'me')).toEqual({
      'f:spec': { 'f:a': {}, 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } },
    });
  });

  it('removes fields that its manager no longer applies', () => {
    const first = apply(live({ b: 'kept' }), 'me', { a: '1', ports: [{ port: 80 }, { port: 81 }] });
    expect(apply(first, 'me', { ports: [{ port: 81 }] })['spec']).toEqual({ b: 'kept', ports: [{ port: 81 }] });
  });

  it('reports a conflict with the fields and owners', () => {
    const mine = apply(live(), 'me', { a: '1', ports: [{ port: 80, name: 'x' }] });
    expect(() => apply(mine, 'you', { a: '2' })).toThrow(
      expect.objectContaining({
        code: 409,
        message: 'Apply failed with 1 conflict: conflict with "me": .spec.a',
      }) as Error,
    );
    expect(() => apply(mine, 'you', { a: '2', ports: [{ port: 80, name: 'y' }] })).toThrow(
      'Apply failed with 2 conflicts: conflicts with "me":\n- .spec.a\n- .spec.ports[port=80,protocol="TCP"].name',
    );
  });

  it('sorts the owners in a conflict like kube-apiserver: subresource first', () => {
    const mine = apply(live(), 'me', { a: '1' });
    const [entry] = mine.metadata.managedFields ?? [];
    if (entry === undefined) throw new Error('the object has no managedFields');
    mine.metadata.managedFields = [entry, { ...entry, subresource: 'status', fieldsV1: { 'f:spec': { 'f:b': {} } } }];
    expect(() => apply(mine, 'you', { a: '2', b: '2' })).toThrow(
      'Apply failed with 2 conflicts: conflicts with "me" with subresource "status":\n- .spec.b\nconflicts with "me":\n- .spec.a',
    );
  });

  it('keeps the time if an apply changes nothing', () => {
    const first = apply(live(), 'me', { a: '1' });
    expect(apply(first, 'me', { a: '1' }, false, '2027-01-01T00:00:00Z').metadata.managedFields).toEqual(
      first.metadata.managedFields,
    );
  });

  it('reports the list item without keys', () => {
    expect(() => apply(live(), 'me', { ports: [{ name: 'x' }] })).not.toThrow();
    expect(() => apply(live(), 'me', { ports: ['x'] })).toThrow(
      '.spec.ports: element 0: a list with keys may only have objects as elements',
    );
    const keyless = new FieldManager(
      {
        ...schema,
        properties: {
          l: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
            items: { type: 'object' },
          },
        },
      },
      { reset: () => FieldSet.empty },
    );
    expect(() =>
      keyless.apply(live(), { l: [{}] }, { manager: 'me', operation: 'Apply', apiVersion: 'v1' }, false, ''),
    ).toThrow('.l: element 0: an element has none of the keys name');
  });
});

describe('an update', () => {
  const update = (before: ApiObject, spec: JsonObject, who = 'kubectl') => {
    const next = { ...before, spec };
    const managedFields = manager.update(
      before,
      next,
      { manager: who, operation: 'Update', apiVersion: 'v1' },
      '2026-01-01T00:00:00Z',
    );
    return { ...next, metadata: { ...next.metadata, managedFields } };
  };

  it('takes the ownership of the changed fields', () => {
    const mine = apply(live(), 'me', { a: '1', b: '1' });
    const changed = update(mine, { a: '2', b: '1' });
    expect(owned(changed, 'kubectl')).toEqual({ 'f:spec': { 'f:a': {} } });
    expect(owned(changed, 'me')).toEqual({ 'f:spec': { 'f:b': {} } });
  });

  it('ends the ownership of removed fields', () => {
    expect(owned(update(apply(live(), 'me', { a: '1' }), {}), 'me')).toBeUndefined();
  });

  it('conflicts with a later apply, which reports its API version', () => {
    const changed = update(apply(live(), 'me', { a: '1' }), { a: '2' });
    expect(() => apply(changed, 'me', { a: '1' })).toThrow('conflict with "kubectl" using v1: .spec.a');
  });
});

describe('duplicate items, which writes other than apply can create', () => {
  const twice = {
    ports: [
      { port: 80, name: 'x' },
      { port: 80, name: 'y' },
    ],
  };
  const written = (spec: JsonObject): ApiObject => {
    const next = live(spec);
    const who = { manager: 'writer', operation: 'Update', apiVersion: 'v1' } as const;
    next.metadata.managedFields = manager.update(undefined, next, who, '2026-01-01T00:00:00Z');
    return next;
  };

  it('are owned as one path without children', () => {
    const item = { 'f:ports': { '.': {}, 'k:{"port":80,"protocol":"TCP"}': {} } };
    expect(owned(written(twice), 'writer')).toEqual({ 'f:spec': { '.': {}, ...item } });
  });

  it('stay if they are not applied', () => {
    const object = apply(written(twice), 'me', { ports: [{ port: 81 }] });
    expect(object['spec']).toEqual({ ports: [...twice.ports, { port: 81 }] });
  });

  it('are replaced by an applied item with the same keys', () => {
    const object = apply(written(twice), 'me', { ports: [{ port: 80, name: 'z' }] }, true);
    expect(object['spec']).toEqual({ ports: [{ port: 80, name: 'z' }] });
  });
});

describe('for any two specs', () => {
  const port = fc.record({ port: fc.integer({ min: 1, max: 4 }), name: fc.constantFrom('x', 'y') });
  const specs = fc.record(
    {
      a: fc.constantFrom('1', '2'),
      ports: fc.uniqueArray(port, { selector: ({ port: number }) => number, minLength: 1 }),
      set: fc.uniqueArray(fc.constantFrom('p', 'q', 'r'), { minLength: 1 }),
      selector: fc.dictionary(fc.constantFrom('k', 'l'), fc.constantFrom('1', '2')),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonObject>;

  it('a forced apply sets all its fields', () => {
    fc.assert(
      fc.property(specs, specs, (one, two) => {
        const object = apply(apply(live(), 'me', one), 'you', two, true);
        // A repeated apply changes nothing if all fields are set.
        expect(apply(object, 'you', two, false)['spec']).toEqual(object['spec']);
      }),
    );
  });

  it('an empty apply of the only manager removes all fields', () => {
    fc.assert(
      fc.property(specs, (spec) => {
        expect(apply(apply(live(), 'me', spec), 'me', {})['spec'] ?? {}).toEqual({});
      }),
    );
  });
});
