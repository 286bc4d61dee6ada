import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { presentPidNamespace, readPidFile, type FolderOwner } from './pid-file.ts';

/** What the names of sandboxes' temporary folders begin with. */
const PREFIX = 'groundcrew-';

/**
 * Removes the temporary folders that sandboxes left which were killed: those of this user whose pid file names a
 * process that is gone. A folder that cannot be evaluated, or removed, stays. Never rejects: a sandbox starts without it.
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

/**
 * The kubeconfigs of this user's sandboxes that run now.
 *
 * @param tmpdir where the folders are, as `os.tmpdir()`
 */
export async function kubeconfigsOfRunning(tmpdir: string): Promise<string[]> {
  const names = await readdir(tmpdir).catch(() => []);
  const pidNamespace = await presentPidNamespace();
  const owners = await Promise.all(
    names.filter((name) => name.startsWith(PREFIX)).map((name) => ownerOf(join(tmpdir, name), pidNamespace)),
  );
  return owners.flatMap((owner) => (owner?.kubeconfig !== undefined && isRunning(owner.pid) ? [owner.kubeconfig] : []));
}

async function isAbandoned(directory: string, pidNamespace: string): Promise<boolean> {
  const owner = await ownerOf(directory, pidNamespace);
  return owner !== undefined && !isRunning(owner.pid);
}

/** The process of a folder that is this user's; undefined also where it counts in another pid namespace. */
async function ownerOf(directory: string, pidNamespace: string): Promise<FolderOwner | undefined> {
  const entry = await lstat(directory).catch(() => undefined);
  // Every user can write to the temporary folder, and could put a link to another place there.
  if (entry?.isDirectory() !== true || entry.uid !== (process.getuid?.() ?? entry.uid)) return undefined;
  const owner = await readPidFile(directory);
  return owner?.pidNamespace === pidNamespace ? owner : undefined;
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
