import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the package: the nearest parent folder with a package.json. Works for sources and for a bundle. */
export function packageRoot(): string {
  // An ESM import of node:fs also loads its promises API, 3 MB that an agent does not need.
  const { existsSync } = process.getBuiltinModule('node:fs');
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('groundcrew is installed without its package.json');
    folder = parent;
  }
  return folder;
}
