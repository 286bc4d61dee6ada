import { join } from 'node:path';
import { packageRoot } from './package-root.ts';

/** Version in package.json. */
export function version(): string {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
  if (typeof manifest !== 'object' || manifest === null || !('version' in manifest)) return 'unknown';
  return String(manifest.version);
}
