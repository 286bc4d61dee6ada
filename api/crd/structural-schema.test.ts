import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { structuralSchema, StructuralSchemaError } from './structural-schema.ts';

/** The schema of one field. */
function field(schema: z.ZodType) {
  return structuralSchema(z.object({ field: schema.meta({ description: 'd' }) })).properties?.field;
}

describe('structuralSchema', () => {
  it('uses formats that the API server checks instead of patterns', () => {
    expect(field(z.ipv4().max(15))).toEqual({ description: 'd', type: 'string', format: 'ipv4', maxLength: 15 });
    expect(field(z.iso.datetime().max(64))).toMatchObject({ format: 'date-time' });
    expect(field(z.iso.datetime().max(64))).not.toHaveProperty('pattern');
    expect(field(z.cidrv4().max(18))).not.toHaveProperty('format');
    expect(field(z.cidrv4().max(18))).toHaveProperty('pattern');
  });

  it('turns a pattern with a message into a rule, because the API server shows a pattern itself as the error', () => {
    const schema = z.string().max(9).regex(/^a\d$/);
    expect(field(schema.meta({ patternMessage: 'must be a and a digit' }))).toEqual({
      ...{ description: 'd', type: 'string', maxLength: 9 },
      'x-kubernetes-validations': [{ rule: String.raw`self.matches("^a\\d$")`, message: 'must be a and a digit' }],
    });
  });

  it.each([
    ['a string without a limit', z.string(), 'field: needs a maxLength'],
    ['a list without a limit', z.array(z.boolean()), 'field: needs a maxItems'],
    ['a map without a limit', z.record(z.string(), z.boolean()), 'field: needs a maxProperties'],
    ['a field of any type', z.unknown(), 'field: needs a type'],
    ['a union of objects', z.union([z.object({}), z.array(z.boolean())]), 'field: a union must be of literals'],
    ['an exclusive bound', z.number().gt(3), 'field: exclusiveMinimum is not allowed in a CRD'],
    ['a null', z.boolean().nullable(), 'field: nullable is not allowed in a CRD'],
  ])('refuses %s', (_what, schema, message) => {
    expect(() => field(schema)).toThrow(new StructuralSchemaError(message));
  });

  it('names a field without a description', () => {
    const nested = z.object({
      list: z
        .array(z.object({ name: z.boolean() }))
        .max(1)
        .meta({ description: 'd' }),
    });
    expect(() => structuralSchema(nested)).toThrow('list[].name: needs a description');
  });
});
