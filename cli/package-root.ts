import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the package: the nearest above this file that has a package.json, from the sources as from a bundle. */
export function packageRoot(): string {
  // An ESM import of node:fs loads its promises too: 3 MB that an agent has no use for.
  const { existsSync } = process.getBuiltinModule('node:fs');
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('groundcrew is installed without its package.json');
    folder = parent;
  }
  return folder;
}
