import type { StoredSession } from '../../state.ts';

/** Maximum number of sessions. Clients often forget to end theirs and open one per task. */
export const MAX_SESSIONS = 64;
/** Maximum number of sessions of one account, so that it cannot block others. */
export const MAX_SESSIONS_OF_ACCOUNT = 16;
/** ms after its last use during which a session is not ended to make room. */
const SPARED_FOR = 60_000;

/**
 * The sessions to keep when an account opens one more; undefined: no room.
 *
 * If the account has reached its limit, its least recently used session ends. If all places are taken, a session of the same
 * account ends, or else one of any account. Sessions in use are kept.
 *
 * @param idleFor ms since the last use of a session
 */
export function makeRoom(
  sessions: readonly StoredSession[],
  account: number,
  idleFor: (session: StoredSession) => number,
): readonly StoredSession[] | undefined {
  const isOwn = (session: StoredSession): boolean => session.account === account;
  const ownExcess = sessions.filter(isOwn).length - MAX_SESSIONS_OF_ACCOUNT + 1;
  const excess = Math.max(ownExcess, sessions.length - MAX_SESSIONS + 1);
  if (excess <= 0) return sessions;
  const idle = sessions
    .filter((session) => idleFor(session) >= SPARED_FOR)
    .toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || idleFor(b) - idleFor(a));
  if (idle.length < excess || idle.filter(isOwn).length < ownExcess) return undefined;
  const leaving = new Set(idle.slice(0, excess));
  return sessions.filter((session) => !leaving.has(session));
}
