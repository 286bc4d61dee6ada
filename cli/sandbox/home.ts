import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolder, DataFolderError, sweepAbandoned, writePidFile } from './data-folder/index.ts';
import { OutputFile } from './output-file.ts';

/** Where a sandbox has its files. */
export interface Home {
  directory: string;
  /** The same folder, where the sandbox is kept in it. */
  data: DataFolder | undefined;
  /** The temporary folder whose pid file tells other commands of this sandbox. */
  announce: string;
}

/** Opens the folder that was named, or makes a temporary one that goes with `parts`. @throws DataFolderError */
export async function openHome(dataDir: string | undefined, parts: AsyncDisposableStack): Promise<Home> {
  await sweepAbandoned(tmpdir());
  if (dataDir !== undefined) {
    const data = await DataFolder.open(dataDir);
    parts.defer(() => {
      data.close();
    });
    return { directory: data.path, data, announce: await ownFolder(parts) };
  }
  const directory = await ownFolder(parts);
  return { directory, data: undefined, announce: directory };
}

/** A temporary folder that goes with `parts`, and that names this process as its owner. */
async function ownFolder(parts: AsyncDisposableStack): Promise<string> {
  const directory = await temporaryFolder();
  parts.defer(() => rm(directory, { recursive: true, force: true }));
  await writePidFile(directory);
  return directory;
}

async function temporaryFolder(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), 'groundcrew-'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DataFolderError(
      `The folder for temporary files, ${tmpdir()}, cannot be used (${why}). Set TMPDIR to a folder that you may write to.`,
      { cause: error },
    );
  }
}

/** The kubeconfig as a file. */
export interface KubeconfigFile {
  readonly path: string;
  write(text: string): Promise<void>;
  remove(): Promise<void>;
}

/** Its name in the sandbox's folder. */
const KUBECONFIG = 'kubeconfig';

/**
 * Prepares the file that was named, or one in the sandbox's folder. What is kept has it in its folder in any case, and
 * knows by that a copy elsewhere that was left when the sandbox was killed.
 *
 * @throws OutputFileError
 */
export async function prepareKubeconfig(file: string | undefined, { directory, data }: Home): Promise<KubeconfigFile> {
  const own = join(directory, KUBECONFIG);
  if (data === undefined) return await OutputFile.prepare(file ?? own, '--kubeconfig', () => false);
  const before = data.read(KUBECONFIG);
  const copy =
    file === undefined ? undefined : await OutputFile.prepare(file, '--kubeconfig', (text) => text === before);
  return {
    path: copy?.path ?? own,
    write: async (text) => {
      data.write(KUBECONFIG, text);
      await copy?.write(text);
    },
    remove: async () => {
      await copy?.remove();
    },
  };
}
