import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MANIFEST_NAME } from './manifest.ts';

/**
 * The folder with the built files of an application: `dist/web/<name>` of a source tree, `web/<name>` beside the bundle.
 *
 * @returns undefined if it was not built: `node scripts/build-web.ts` does it
 */
export function builtPages(name: 'bmc' | 'fleet', from = import.meta.dirname): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = [join(folder, 'web', name), join(folder, 'dist/web', name)].find((candidate) =>
      existsSync(join(candidate, MANIFEST_NAME)),
    );
    if (found !== undefined || folder === dirname(folder)) return found;
  }
}
