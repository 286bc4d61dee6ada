import { lstat, readdir, rm, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

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

/** Name of the file that records the owner of a sandbox's folder. */
const NAME = 'sandbox.pid';

/** Value of `program` that marks the file as written by a sandbox. */
const PROGRAM = 'groundcrew sandbox';

/** The process that owns a folder. */
interface FolderOwner {
  pid: number;
  /** Path of the sandbox's kubeconfig. */
  kubeconfig?: string;
  /** PID namespace of `pid` (Linux): in another container the same PID is another process. Empty on other systems. */
  pidNamespace: string;
}

/** Writes the PID file: this process uses the folder, and its kubeconfig has this path. */
export async function writePidFile(
  directory: string,
  { pid = process.pid, kubeconfig }: { pid?: number; kubeconfig?: string } = {},
): Promise<void> {
  const content = { program: PROGRAM, pid, pidNamespace: await presentPidNamespace(), kubeconfig };
  await writeFile(join(directory, NAME), `${JSON.stringify(content)}\n`, { mode: 0o600 });
}

/** Reads the PID file; undefined if it is missing or was not written by a sandbox. */
async function readPidFile(directory: string): Promise<FolderOwner | undefined> {
  try {
    const content: unknown = JSON.parse(await readFile(join(directory, NAME), 'utf8'));
    if (typeof content !== 'object' || content === null) return undefined;
    const { program, pid, pidNamespace, kubeconfig } = content as Record<string, unknown>; // The fields of the object are validated below.
    if (program !== PROGRAM || typeof pidNamespace !== 'string') return undefined;
    // kill(2) treats 0 and negative numbers as process groups.
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
    return { pid, pidNamespace, ...(typeof kubeconfig === 'string' ? { kubeconfig } : {}) };
  } catch {
    return undefined;
  }
}

/** The PID namespace of this process, in the format of {@link FolderOwner}. */
async function presentPidNamespace(): Promise<string> {
  return await readlink('/proc/self/ns/pid').catch(() => '');
}
