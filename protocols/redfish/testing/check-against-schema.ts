import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../json.ts';
import { type CheckOptions, PayloadCheck } from './check-payload.ts';
import { SchemaModel } from './schema-model.ts';

// eslint-disable-next-line no-restricted-properties -- it is loaded by tests alone, which have no edge of their own
const folder = join(process.env['GROUNDCREW_REDFISH'] ?? '', 'csdl');
const lack = {
  what: 'DMTF schemas',
  remedy: 'unzip DSP8010_2025.4.zip of www.dmtf.org/dsp/DSP8010; export GROUNDCREW_REDFISH=<folder that has csdl/>',
};

/** Options of tests that need DMTF's schema files, which are not in the repository: `csdl` of the folder that GROUNDCREW_REDFISH names. */
export const needsSchemas: { skip?: true; meta?: { lacks: readonly (typeof lack)[] } } = existsSync(
  join(folder, 'Resource_v1.xml'),
)
  ? {}
  : { skip: true, meta: { lacks: [lack] } };

let schemas: SchemaModel | undefined;

/**
 * What is wrong with a payload by its schema, as DMTF's Service Validator evaluates it: names, types, words, patterns, limits, what is
 * required or null, links, actions and where it stands. Empty: nothing.
 *
 * @example it('is what its schema says', needsSchemas, () => { expect(checkAgainstSchema(payload)).toEqual([]); });
 */
export function checkAgainstSchema(payload: JsonObject, options: Partial<CheckOptions> = {}): string[] {
  schemas ??= new SchemaModel(folder);
  const check = new PayloadCheck(schemas, { legacy: false, ...options });
  check.resource(payload);
  return check.problems;
}
