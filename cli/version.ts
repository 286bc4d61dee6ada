import { join, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Version in package.json. */
export function version(): string {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
  if (typeof manifest !== 'object' || manifest === null || !('version' in manifest)) return 'unknown';
  return String(manifest.version);
}

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
