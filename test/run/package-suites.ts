import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../harness/repository.ts';
import { cacheRoot } from '../tools/cache.ts';

/**
 * The suites of `packages/` verify that the embedded cluster behaves like the real servers. They need to run only after
 * a change of the packages, of the test harness or of the programs that the tests use.
 */
const PLACES = ['packages', 'test/harness', 'test/tools'];

/**
 * Whether the suites of `packages/` must run: in CI according to the recorded passes, in a work tree according to its
 * changes.
 */
export function packagesChanged(options: { continuousIntegration: boolean }): boolean {
  if (options.continuousIntegration) return !existsSync(recordOfPass());
  const base = ['origin/HEAD', 'HEAD'].find((ref) => git('rev-parse', '--verify', '--quiet', ref).status === 0);
  if (base === undefined) return true;
  const changed = git('diff', '--quiet', base, '--', ...PLACES).status !== 0;
  return changed || git('ls-files', '--others', '--exclude-standard', '--', ...PLACES).stdout !== '';
}

/** Records on this machine that the suites of `packages/` passed at the last commit. */
export function recordPass(): void {
  const file = recordOfPass();
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '');
}

function recordOfPass(): string {
  const trees = PLACES.map((place) => git('rev-parse', `HEAD:${place}`).stdout.trim().slice(0, 12));
  return join(cacheRoot(), `passed-${trees.join('-')}`);
}

function git(...args: string[]): { status: number | null; stdout: string } {
  return spawnSync('git', args, { cwd: repository, encoding: 'utf8' });
}
