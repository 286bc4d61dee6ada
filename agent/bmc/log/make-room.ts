import type { LogEntry } from '../../../protocols/machine/index.ts';
import { CAPACITY } from './log-content.ts';

/** Maximum failed log-ins in a log. Any client can cause them; they must not displace the entries of actions. */
export const MOST_FAILED_LOGINS = CAPACITY / 4;

/** The entries to keep, oldest first. Drops the oldest ones, and failed log-ins sooner. */
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
