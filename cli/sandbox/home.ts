import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolder, DataFolderError } from './data-folder.ts';
import { sweepAbandoned, writePidFile } from './sweep-abandoned.ts';
import { OutputFile } from './output-file.ts';

/** The folders of a sandbox. */
export interface Home {
  directory: string;
  /** The data folder, if the sandbox is kept; it is the same folder. */
  data: DataFolder | undefined;
  /** The temporary folder with the PID file, by which other commands find this sandbox. */
  announce: string;
}

/** Opens the given folder, or creates a temporary one that is removed with `parts`. @throws DataFolderError */
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

/** Creates a temporary folder that is removed with `parts`, with a PID file of this process. */
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

/** The kubeconfig file. */
export interface KubeconfigFile {
  readonly path: string;
  write(text: string): Promise<void>;
  remove(): Promise<void>;
}

/** File name in the sandbox's folder. */
const KUBECONFIG = 'kubeconfig';

/**
 * Prepares the given file, or one in the sandbox's folder. A data folder always contains a kubeconfig; a copy elsewhere
 * that a killed sandbox left is recognised by comparison with it.
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
