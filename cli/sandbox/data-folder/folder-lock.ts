import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';

export interface FolderLock {
  release(): void;
}

/** SQLITE_BUSY: another process holds the lock. */
const BUSY = 5;

/**
 * Locks a folder for this process; undefined if another process holds the lock. The operating system releases the lock
 * when the process ends, also after a crash. Node has no flock(2), so the lock is the one that SQLite holds on a
 * database.
 *
 * Rejects if the folder is not writable.
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
