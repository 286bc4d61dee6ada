import { describe, expect, it } from 'vitest';
import type { Schema } from './schema.ts';
import { prune, dropNulls, setDefaults } from './structural-schema.ts';

const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        known: { type: 'string' },
        free: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { inner: { type: 'object', properties: {} } },
        },
        map: { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } },
        list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string', default: 'x' } } } },
        template: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: {} },
        nested: { type: 'object', default: {}, properties: { deep: { type: 'integer', default: 3 } } },
        maybe: { type: 'string', nullable: true, default: 'y' },
      },
    },
  },
};

describe('pruning', () => {
  it('removes unknown fields and says where they were', () => {
    const object = { kind: 'K', spec: { known: 'a', no: 1, list: [{ a: 'b', no: 2 }], map: { k: { no: 3 } } }, no: 4 };
    expect(prune(object, schema)).toEqual(['no', 'spec.list[0].no', 'spec.map.k.no', 'spec.no']);
    expect(object).toEqual({ kind: 'K', spec: { known: 'a', list: [{ a: 'b' }], map: { k: {} } } });
  });

  it('keeps what is to be preserved, but prunes what is specified within', () => {
    const object = { spec: { free: { any: { thing: 1 }, inner: { no: 1 } } } };
    expect(prune(object, schema)).toEqual(['spec.free.inner.no']);
    expect(object).toEqual({ spec: { free: { any: { thing: 1 }, inner: {} } } });
  });

  it('keeps the kind and the metadata of an embedded resource', () => {
    const object = { spec: { template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, no: 1 } } };
    expect(prune(object, schema)).toEqual(['spec.template.no']);
  });
});

describe('defaulting', () => {
  it('fills in from the outside to the inside', () => {
    const object = { spec: { list: [{}] } };
    setDefaults(object, schema);
    expect(object).toEqual({ spec: { list: [{ a: 'x' }], nested: { deep: 3 }, maybe: 'y' } });
  });

  it('does not invent a parent without a default', () => {
    const object = {};
    setDefaults(object, schema);
    expect(object).toEqual({});
  });

  it('keeps null only where it is allowed', () => {
    const object = { spec: { maybe: null, nested: null, known: null } };
    setDefaults(object, schema);
    dropNulls(object, schema);
    expect(object).toEqual({ spec: { maybe: null, nested: { deep: 3 } } });
  });
});
