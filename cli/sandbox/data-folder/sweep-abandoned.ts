import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { presentPidNamespace, readPidFile, type FolderOwner } from './pid-file.ts';

/** Name prefix of the temporary folders of sandboxes. */
const PREFIX = 'groundcrew-';

/**
 * Removes the temporary folders of sandboxes that were killed: folders of this user whose PID file names a process that
 * has ended. A folder that cannot be read or removed is kept. Never rejects, because the sandbox can start without it.
 *
 * @param tmpdir the parent folder, as `os.tmpdir()`
 * @returns the removed folders
 */
export async function sweepAbandoned(tmpdir: string): Promise<string[]> {
  const abandoned = (await ownedFolders(tmpdir)).filter(({ owner }) => !isRunning(owner.pid));
  const removed = await Promise.all(
    abandoned.map(({ directory }) =>
      rm(directory, { recursive: true, force: true }).then(
        () => [directory],
        () => [],
      ),
    ),
  );
  return removed.flat();
}

/**
 * The kubeconfigs of this user's running sandboxes.
 *
 * @param tmpdir the parent folder, as `os.tmpdir()`
 */
export async function kubeconfigsOfRunning(tmpdir: string): Promise<string[]> {
  const running = (await ownedFolders(tmpdir)).filter(({ owner }) => isRunning(owner.pid));
  return running.flatMap(({ owner: { kubeconfig } }) => kubeconfig ?? []);
}

/** The folders of this user's sandboxes in this PID namespace, running or not, with their owner processes. */
async function ownedFolders(tmpdir: string): Promise<{ directory: string; owner: FolderOwner }[]> {
  const names = await readdir(tmpdir).catch(() => []);
  const pidNamespace = await presentPidNamespace();
  const folders = await Promise.all(
    names
      .filter((name) => name.startsWith(PREFIX))
      .map(async (name) => {
        const directory = join(tmpdir, name);
        const owner = await ownerOf(directory, pidNamespace);
        return owner === undefined ? [] : [{ directory, owner }];
      }),
  );
  return folders.flat();
}

/** The owner process of a folder of this user; undefined if it is in another PID namespace. */
async function ownerOf(directory: string, pidNamespace: string): Promise<FolderOwner | undefined> {
  const entry = await lstat(directory).catch(() => undefined);
  // Every user can write to the temporary folder and could create a symbolic link there.
  if (entry?.isDirectory() !== true || entry.uid !== (process.getuid?.() ?? entry.uid)) return undefined;
  const owner = await readPidFile(directory);
  return owner?.pidNamespace === pidNamespace ? owner : undefined;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Any other error, such as EPERM, means that the process exists.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
