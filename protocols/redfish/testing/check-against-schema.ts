import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../json.ts';
import { type CheckOptions, PayloadCheck } from './check-payload.ts';
import { SchemaModel } from './schema-model.ts';

// oxlint-disable-next-line no-restricted-properties -- it is loaded by tests alone, which have no edge of their own
const folder = join(process.env['GROUNDCREW_REDFISH'] ?? '', 'csdl');
const lack = {
  what: 'DMTF schemas',
  remedy: 'unzip DSP8010_2025.4.zip of www.dmtf.org/dsp/DSP8010; export GROUNDCREW_REDFISH=<folder that has csdl/>',
};

/** Options of tests that need DMTF's schema files, which are not in the repository: `csdl` in the folder GROUNDCREW_REDFISH. */
export const needsSchemas: { skip?: true; meta?: { lacks: readonly (typeof lack)[] } } = existsSync(
  join(folder, 'Resource_v1.xml'),
)
  ? {}
  : { skip: true, meta: { lacks: [lack] } };

let schemas: SchemaModel | undefined;

/**
 * Problems of a payload by its schema, with the checks of DMTF's Service Validator: names, types, enumerations, patterns, limits,
 * required and null properties, links, actions, URI. Empty: none.
 *
 * @example it('conforms to its schema', needsSchemas, () => { expect(checkAgainstSchema(payload)).toEqual([]); });
 */
export function checkAgainstSchema(payload: JsonObject, options: Partial<CheckOptions> = {}): string[] {
  schemas ??= new SchemaModel(folder);
  const check = new PayloadCheck(schemas, { legacy: false, ...options });
  check.resource(payload);
  return check.problems;
}
