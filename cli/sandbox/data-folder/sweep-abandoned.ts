import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { presentPidNamespace, readPidFile } from './pid-file.ts';

/** What the names of sandboxes' temporary folders begin with. */
const PREFIX = 'groundcrew-';

/**
 * Removes the temporary folders that sandboxes left which were killed: those of this user whose pid file names a
 * process that is gone. A folder that cannot be judged, or removed, stays. Never rejects: a sandbox starts without it.
 *
 * @param tmpdir where the folders are, as `os.tmpdir()`
 * @returns the folders that were removed
 */
export async function sweepAbandoned(tmpdir: string): Promise<string[]> {
  const names = await readdir(tmpdir).catch(() => []);
  const pidNamespace = await presentPidNamespace();
  const removed = await Promise.all(
    names
      .filter((name) => name.startsWith(PREFIX))
      .map(async (name) => {
        const directory = join(tmpdir, name);
        if (!(await isAbandoned(directory, pidNamespace))) return [];
        return await rm(directory, { recursive: true, force: true }).then(
          () => [directory],
          () => [],
        );
      }),
  );
  return removed.flat();
}

async function isAbandoned(directory: string, pidNamespace: string): Promise<boolean> {
  const entry = await lstat(directory).catch(() => undefined);
  // The temporary folder is everybody's: another user may have put a trap there, such as a link to somewhere else.
  if (entry?.isDirectory() !== true || entry.uid !== (process.getuid?.() ?? entry.uid)) return false;
  const owner = await readPidFile(directory);
  return owner?.pidNamespace === pidNamespace && !isRunning(owner.pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Any other error, such as EPERM, speaks of a process that is there.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
