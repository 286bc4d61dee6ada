import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { structuralSchema, StructuralSchemaError } from './structural-schema.ts';

/** The schema of one field. */
function field(schema: z.ZodType) {
  return structuralSchema(z.object({ field: schema.meta({ description: 'd' }) })).properties?.field;
}

describe('structuralSchema', () => {
  it('keeps descriptions, limits, enums, defaults and extensions', () => {
    expect(field(z.string().min(1).max(5).regex(/^a/))).toEqual({
      description: 'd',
      type: 'string',
      minLength: 1,
      maxLength: 5,
      pattern: '^a',
    });
    expect(field(z.enum(['a', 'b']).default('a'))).toEqual({
      description: 'd',
      type: 'string',
      enum: ['a', 'b'],
      default: 'a',
    });
    const extensions = {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-validations': [{ rule: 'true', message: 'm' }],
    };
    expect(field(z.array(z.boolean()).max(2).meta(extensions))).toMatchObject({ maxItems: 2, ...extensions });
  });

  it('asks for what has no default and is not optional', () => {
    const schema = z.object({
      a: z.boolean().meta({ description: 'd' }),
      b: z.boolean().optional().meta({ description: 'd' }),
      c: z.boolean().default(true).meta({ description: 'd' }),
    });
    expect(structuralSchema(schema).required).toEqual(['a']);
  });

  it('gives integers a format in place of the bounds of a double', () => {
    expect(field(z.int())).toEqual({ description: 'd', type: 'integer', format: 'int64' });
    expect(field(z.int().min(0))).toEqual({ description: 'd', type: 'integer', format: 'int64', minimum: 0 });
    expect(field(z.int().min(1).max(9))).toMatchObject({ format: 'int32', minimum: 1, maximum: 9 });
    expect(
      field(
        z
          .int()
          .min(0)
          .max(2 ** 32 - 1),
      ),
    ).toMatchObject({ format: 'int64' });
  });

  it('makes an enum of a choice of literals', () => {
    expect(field(z.union([z.literal(3), z.literal(17)]))).toEqual({
      description: 'd',
      type: 'integer',
      format: 'int32',
      enum: [3, 17],
    });
  });

  it('says int-or-string as Kubernetes does', () => {
    const quantity = z.union([z.string(), z.int()]).meta({ 'x-kubernetes-int-or-string': true, pattern: '^1$' });
    expect(field(quantity)).toEqual({ description: 'd', pattern: '^1$', 'x-kubernetes-int-or-string': true });
  });

  it('leaves to a format what the API server checks itself', () => {
    expect(field(z.ipv4().max(15))).toEqual({ description: 'd', type: 'string', format: 'ipv4', maxLength: 15 });
    expect(field(z.iso.datetime().max(64))).toMatchObject({ format: 'date-time' });
    expect(field(z.iso.datetime().max(64))).not.toHaveProperty('pattern');
    expect(field(z.cidrv4().max(18))).not.toHaveProperty('format');
    expect(field(z.cidrv4().max(18))).toHaveProperty('pattern');
  });

  it('makes maps of records', () => {
    const map = z.record(z.string(), z.string().max(9)).meta({ maxProperties: 3 });
    expect(field(map)).toEqual({
      description: 'd',
      type: 'object',
      maxProperties: 3,
      additionalProperties: { type: 'string', maxLength: 9 },
    });
  });

  it.each([
    ['a string without a limit', z.string(), 'field: needs a maxLength'],
    ['a list without a limit', z.array(z.boolean()), 'field: needs a maxItems'],
    ['a map without a limit', z.record(z.string(), z.boolean()), 'field: needs a maxProperties'],
    ['a field that could be anything', z.unknown(), 'field: needs a type'],
    ['a union of objects', z.union([z.object({}), z.array(z.boolean())]), 'field: a union must be of literals'],
    ['an exclusive bound', z.number().gt(3), 'field: exclusiveMinimum has no place in a CRD'],
    ['a null', z.boolean().nullable(), 'field: nullable has no place in a CRD'],
  ])('refuses %s', (_what, schema, message) => {
    expect(() => field(schema)).toThrow(new StructuralSchemaError(message));
  });

  it('refuses a field without a description, and names it', () => {
    const nested = z.object({
      list: z
        .array(z.object({ name: z.boolean() }))
        .max(1)
        .meta({ description: 'd' }),
    });
    expect(() => structuralSchema(nested)).toThrow('list[].name: needs a description');
  });
});
