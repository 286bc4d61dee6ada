import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../json.ts';
import { type CheckOptions, PayloadCheck } from './check-payload.ts';
import { SchemaModel } from './schema-model.ts';

let schemas: SchemaModel | undefined;

/**
 * Whether DMTF's schema files are at hand: `csdl` of the folder that GROUNDCREW_REDFISH names. They are no part of the repository,
 * so that where they are not, which is said, tests that need them are not to be defined.
 */
export function hasSchemas(): boolean {
  schemas ??= findSchemas();
  if (schemas !== undefined) return true;
  console.warn(
    'SKIPPED: the schemas of Redfish are not at hand; GROUNDCREW_REDFISH is to name the folder that has `csdl`.',
  );
  return false;
}

/**
 * What is wrong with a payload by its schema, as DMTF's Service Validator judges it: names, types, words, patterns, limits, what is
 * required or null, links, actions and where it stands. Empty: nothing.
 *
 * @example if (hasSchemas()) it('is what its schema says', () => { expect(checkAgainstSchema(payload)).toEqual([]); });
 */
export function checkAgainstSchema(payload: JsonObject, options: Partial<CheckOptions> = {}): string[] {
  if (schemas === undefined && !hasSchemas()) throw new Error('ask hasSchemas() first');
  const check = new PayloadCheck(schemas as SchemaModel, { legacy: false, ...options });
  check.resource(payload);
  return check.problems;
}

function findSchemas(): SchemaModel | undefined {
  // eslint-disable-next-line no-restricted-properties -- it is loaded by tests alone, which have no edge of their own
  const folder = join(process.env['GROUNDCREW_REDFISH'] ?? '', 'csdl');
  return existsSync(join(folder, 'Resource_v1.xml')) ? new SchemaModel(folder) : undefined;
}
