import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../harness/repository.ts';
import { cacheRoot } from './cache.ts';
import { withLock } from './lock.ts';
import record from './previous-release.json' with { type: 'json' };

/** What tests use of a release: the command with its chunks, the version that it reads, and the chart. */
const KEPT = ['dist', 'package.json', 'charts'];
const COMMAND = 'dist/groundcrew.js';

/**
 * Path of the command of the release before this one, if it is built; the chart is beside it (`previousChart`).
 *
 * The release is the tag `v<version>` of `previous-release.json`, or the commit in it: a clone may have no tags.
 */
export function findPreviousRelease(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const commit = commitOfPreviousRelease();
  if (commit === undefined) return undefined;
  const command = join(folderOf(commit, environment), COMMAND);
  return existsSync(command) ? command : undefined;
}

/** Folder of the chart of a release. @param command path of its command */
export function previousChart(command: string): string {
  return join(dirname(dirname(command)), 'charts/groundcrew');
}

/** Builds the release before this one into the cache, with its own lock file and scripts. Throws in a shallow clone. */
export async function buildPreviousRelease(log: (line: string) => void): Promise<void> {
  const commit = commitOfPreviousRelease();
  if (commit === undefined)
    throw new Error(`this clone lacks commit ${record.commit} of version ${record.version}: git fetch --unshallow`);
  const folder = folderOf(commit);
  mkdirSync(dirname(folder), { recursive: true });
  await withLock(`${folder}.lock`, async () => {
    if (existsSync(folder)) return;
    log(`building version ${record.version} from commit ${commit.slice(0, 12)}`);
    const sources = `${folder}.sources`;
    const built = `${folder}.built`;
    for (const left of [sources, built]) rmSync(left, { recursive: true, force: true });
    await run('git', ['clone', '--quiet', '--shared', '--no-checkout', repository, sources]);
    await run('git', ['checkout', '--quiet', '--detach', commit], sources);
    await run('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], sources);
    await run(process.execPath, ['scripts/build.ts'], sources);
    mkdirSync(built);
    for (const name of KEPT) renameSync(join(sources, name), join(built, name));
    rmSync(sources, { recursive: true });
    // Renamed when complete, so that an interrupted build is not used.
    renameSync(built, folder);
  });
}

/** Undefined if this is not a clone, or a shallow one without it. */
function commitOfPreviousRelease(): string | undefined {
  for (const revision of [`v${record.version}`, record.commit]) {
    const { status, stdout } = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`], {
      cwd: repository,
      encoding: 'utf8',
    });
    if (status === 0) return stdout.trim();
  }
  return undefined;
}

function folderOf(commit: string, environment?: NodeJS.ProcessEnv): string {
  return join(cacheRoot(environment), `release-${commit.slice(0, 12)}`);
}

async function run(command: string, args: string[], cwd?: string): Promise<void> {
  await promisify(execFile)(command, args, { cwd, maxBuffer: 16 * 1024 * 1024 });
}
