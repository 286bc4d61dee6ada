import type { LogEntry } from '../../../protocols/machine/index.ts';
import { CAPACITY } from './log-content.ts';

/** Failed log-ins that a log holds: anybody can make them, and is not to push out so what was done to the machine. */
export const MOST_FAILED_LOGINS = CAPACITY / 4;

/** The entries that a log keeps of these, oldest first: the oldest make room, of failed log-ins sooner. */
export function makeRoom(entries: readonly LogEntry[]): readonly LogEntry[] {
  let surplus = entries.filter(isFailedLogin).length - MOST_FAILED_LOGINS;
  const kept = entries.filter((entry) => {
    const goes = surplus > 0 && isFailedLogin(entry);
    if (goes) surplus -= 1;
    return !goes;
  });
  return kept.slice(-CAPACITY);
}

function isFailedLogin({ event }: LogEntry): boolean {
  return event.kind === 'LoginFailed';
}
