import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { packageRoot } from './version.ts';

/**
 * Makes Node cache compiled code beside the packages, so that types are stripped once and not at each start of an agent
 * in a sandbox. If the folder is not writable, nothing is cached.
 */
export function keepCompiled(): void {
  enableCompileCache(join(packageRoot(), 'node_modules', '.cache', 'groundcrew'));
}
