import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** File in the folder of an application that `scripts/build-web.ts` writes: a {@link Manifest} as JSON. */
export const MANIFEST_NAME = 'files.json';

/** The files of an application by their path in the URL, without a leading slash. */
export type Manifest = Readonly<Record<string, ServedFile>>;

export interface ServedFile {
  /** Value of Content-Type. */
  readonly type: string;
  /** Strong ETag of the file as it is, with quotes. Each compressed form has its own. */
  readonly etag: string;
  /** The name contains a hash of the content, so the content never changes. */
  readonly isImmutable: boolean;
  /** Compressed forms beside the file, with the suffixes `.br` and `.gz`. */
  readonly encodings: readonly ('br' | 'gzip')[];
}

/** @throws Error if the application was not built */
export function readManifest(folder: string): Manifest {
  // Without a prototype, so that `constructor` and the like are no files.
  return Object.assign(
    Object.create(null) as object,
    JSON.parse(readFileSync(join(folder, MANIFEST_NAME), 'utf8')),
  ) as Manifest;
}
