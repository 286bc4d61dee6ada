import { readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Name of the file that records the owner of a sandbox's folder. */
const NAME = 'sandbox.pid';

/** Value of `program` that marks the file as written by a sandbox. */
const PROGRAM = 'groundcrew sandbox';

/** The process that owns a folder. */
export interface FolderOwner {
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
export async function readPidFile(directory: string): Promise<FolderOwner | undefined> {
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
export async function presentPidNamespace(): Promise<string> {
  return await readlink('/proc/self/ns/pid').catch(() => '');
}
