import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { packageRoot } from './package-root.ts';

/**
 * Lets Node keep what it compiles beside the packages: TypeScript's types are then stripped once, not at every start of
 * every agent of a sandbox. Where the folder cannot be written, nothing is kept.
 */
export function keepCompiled(): void {
  enableCompileCache(join(packageRoot(), 'node_modules', '.cache', 'groundcrew'));
}
