import { readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Name of the file by which a sandbox's folder says whose it is. */
const NAME = 'sandbox.pid';

/** By which a file of that name is known to be a sandbox's. */
const PROGRAM = 'groundcrew sandbox';

/** The process that a folder belongs to. */
export interface FolderOwner {
  pid: number;
  /** Path of the sandbox's kubeconfig. */
  kubeconfig?: string;
  /** Where on Linux that number counts: the same one means another process in a container. Elsewhere empty. */
  pidNamespace: string;
}

/** Writes into a sandbox's folder that this process is using it, and where its kubeconfig is. */
export async function writePidFile(
  directory: string,
  { pid = process.pid, kubeconfig }: { pid?: number; kubeconfig?: string } = {},
): Promise<void> {
  const content = { program: PROGRAM, pid, pidNamespace: await presentPidNamespace(), kubeconfig };
  await writeFile(join(directory, NAME), `${JSON.stringify(content)}\n`, { mode: 0o600 });
}

/** What `writePidFile` wrote; undefined where the folder has no such file, or one that is somebody else's. */
export async function readPidFile(directory: string): Promise<FolderOwner | undefined> {
  try {
    const content: unknown = JSON.parse(await readFile(join(directory, NAME), 'utf8'));
    if (typeof content !== 'object' || content === null) return undefined;
    const { program, pid, pidNamespace, kubeconfig } = content as Record<string, unknown>; // An object is a record of unknowns.
    if (program !== PROGRAM || typeof pidNamespace !== 'string') return undefined;
    // kill(2) takes 0 and negative numbers for groups of processes.
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
    return { pid, pidNamespace, ...(typeof kubeconfig === 'string' ? { kubeconfig } : {}) };
  } catch {
    return undefined;
  }
}

/** The pid namespace of this process, as {@link FolderOwner} has it. */
export async function presentPidNamespace(): Promise<string> {
  return await readlink('/proc/self/ns/pid').catch(() => '');
}
