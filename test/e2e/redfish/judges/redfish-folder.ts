import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Folder with DMTF's schemas (`csdl`) and with the profiles of OCP and OpenStack (`profiles`), which are no part of the repository. */
export function redfishFolder(): string | undefined {
  const folder = process.env['GROUNDCREW_REDFISH'];
  if (folder !== undefined && existsSync(join(folder, 'csdl'))) return folder;
  console.warn(
    'SKIPPED: judges of profiles need them at hand, and that of schemas fetches these: GROUNDCREW_REDFISH names no folder.',
  );
  return undefined;
}
