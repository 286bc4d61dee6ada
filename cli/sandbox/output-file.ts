import { randomUUID } from 'node:crypto';
import { access, constants, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** An output file of the sandbox cannot be written, or it is a file of the user. */
export class OutputFileError extends Error {
  override readonly name = 'OutputFileError';
  readonly code = 'OutputFile';
}

/** A file that exists as long as the sandbox. */
export class OutputFile {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /**
   * Checks before the start that the file can be created. An existing file is neither overwritten nor removed, unless
   * `isOurs` recognises its text as output of an earlier sandbox.
   *
   * @param option the command's option that names the file, for the error
   * @throws OutputFileError
   */
  static async prepare(file: string, option: string, isOurs: (text: string) => boolean): Promise<OutputFile> {
    const path = resolve(file);
    const folder = dirname(path);
    try {
      await access(folder, constants.W_OK | constants.X_OK);
      if (!(await stat(folder)).isDirectory()) throw new Error('not a folder');
    } catch (cause) {
      throw new OutputFileError(`${option}: no file can be created in ${folder}. Choose another folder.`, { cause });
    }
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw new OutputFileError(`${option}: ${path} cannot be read. Choose another file.`, { cause: error });
    });
    if (text !== undefined && !isOurs(text)) {
      throw new OutputFileError(`${option}: ${path} exists. Choose another file, or remove it first.`);
    }
    await rm(path, { force: true });
    return new OutputFile(path);
  }

  /** Writes the file atomically, readable only by its owner: it contains credentials. */
  async write(text: string): Promise<void> {
    const part = `${this.path}.${randomUUID()}`;
    await writeFile(part, text, { mode: 0o600, flag: 'wx' });
    await rename(part, this.path);
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }
}
