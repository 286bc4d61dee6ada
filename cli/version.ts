import { join } from 'node:path';
import { packageRoot } from './package-root.ts';

/** Version of this package, as package.json says. */
export function version(): string {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
  if (typeof manifest !== 'object' || manifest === null || !('version' in manifest)) return 'unknown';
  return String(manifest.version);
}
