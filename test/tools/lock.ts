import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_AFTER = 500;
/**
 * A holder writes its PID immediately. A lock that has no PID after this time was left by a process that died in
 * between.
 */
const UNSIGNED_FOR_AT_MOST = 10_000;
const GIVE_UP_AFTER = 45 * 60_000;

/**
 * Runs `work` while no other process on this machine holds the lock at `path`. A lock whose holder has died is taken
 * over. Throws after 45 minutes of waiting.
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + GIVE_UP_AFTER;
  while (!tryLock(path)) {
    if (Date.now() > deadline) throw new Error(`${path} has been held for too long; remove it if nothing is building`);
    await sleep(RETRY_AFTER);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

function tryLock(path: string): boolean {
  try {
    mkdirSync(path);
  } catch {
    if (holderIsAlive(path)) return false;
    rmSync(path, { recursive: true, force: true });
    return false;
  }
  writeFileSync(join(path, 'pid'), String(process.pid));
  return true;
}

function holderIsAlive(path: string): boolean {
  try {
    process.kill(Number(readFileSync(join(path, 'pid'), 'utf8')), 0);
    return true;
  } catch (error) {
    const unsigned = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return unsigned && ageOf(path) < UNSIGNED_FOR_AT_MOST;
  }
}

/** Milliseconds since the lock was created; 0 if it is gone, so that the next attempt decides. */
function ageOf(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? 0 : Date.now() - stat.mtimeMs;
}
