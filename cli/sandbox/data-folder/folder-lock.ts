import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';

export interface FolderLock {
  release(): void;
}

/** SQLITE_BUSY: another holds it. */
const BUSY = 5;

/**
 * Takes a folder for this process alone; undefined where another has it. The operating system gives the lock up when
 * the process ends, however it does. Node has no flock(2): the lock is the one that SQLite holds on a database.
 *
 * Rejects where the folder cannot be written.
 */
export async function lockFolder(folder: string): Promise<FolderLock | undefined> {
  const path = join(folder, 'lock');
  closeSync(openSync(path, 'a', 0o600));
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === BUSY) return undefined;
    throw error;
  }
  return {
    release: () => {
      database.close();
    },
  };
}
