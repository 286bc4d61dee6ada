import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { skippedFor, type Needs } from '../../tools/index.ts';

/** Folder with DMTF's schemas (`csdl`) and with the profiles of OCP and OpenStack (`profiles`), which are not in the repository. */
export function redfishFolder(): string | undefined {
  const folder = process.env['GROUNDCREW_REDFISH'];
  return folder !== undefined && existsSync(join(folder, 'csdl')) ? folder : undefined;
}

/** Options of tests that need the profiles. */
export function needsProfiles(): Needs {
  const remedy = 'docs/conformance.md says where they are; export GROUNDCREW_REDFISH=<folder that has profiles/>';
  return skippedFor(redfishFolder() === undefined ? [{ what: 'OCP and OpenStack profiles', remedy }] : []);
}
