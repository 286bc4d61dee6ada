import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What the real KubeVirt 1.8.4 answered, `kubevirt/<name>.txt` of the folder that GROUNDCREW_TESTDATA names; undefined,
 * and said so, where that is not at hand. It is no part of the repository.
 */
export function readTestdata(name: string): string | undefined {
  const folder = process.env['GROUNDCREW_TESTDATA'];
  const file = join(folder ?? '', 'kubevirt', `${name}.txt`);
  if (folder !== undefined && existsSync(file)) return readFileSync(file, 'utf8');
  console.warn(`SKIPPED: kubevirt/${name}.txt is not at hand; GROUNDCREW_TESTDATA is to name the folder that has it.`);
  return undefined;
}
