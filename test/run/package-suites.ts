import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { repository } from '../harness/repository.ts';

/**
 * The suites of `packages/` prove that the embedded cluster agrees with the real servers. They need to run only when the packages, or
 * the harness that runs them, have changed.
 */
const PLACES = ['packages', 'test/harness'];

/** Whether the suites of `packages/` have to run: CI asks what it has passed before, a work tree what it has changed. */
export function packagesChanged(options: { continuousIntegration: boolean }): boolean {
  if (options.continuousIntegration) return !existsSync(recordOfPass());
  const base = ['origin/HEAD', 'HEAD'].find((ref) => git('rev-parse', '--verify', '--quiet', ref).status === 0);
  if (base === undefined) return true;
  const changed = git('diff', '--quiet', base, '--', ...PLACES).status !== 0;
  return changed || git('ls-files', '--others', '--exclude-standard', '--', ...PLACES).stdout !== '';
}

/** Remembers on this machine that the suites of `packages/` passed, as the last commit has them. */
export function recordPass(): void {
  const file = recordOfPass();
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '');
}

function recordOfPass(): string {
  const trees = PLACES.map((place) => git('rev-parse', `HEAD:${place}`).stdout.trim().slice(0, 12));
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'groundcrew', `passed-${trees.join('-')}`);
}

function git(...args: string[]): { status: number | null; stdout: string } {
  return spawnSync('git', args, { cwd: repository, encoding: 'utf8' });
}
