import type { StoredSession } from '../../state.ts';

/** Sessions at once. Clients that forget to end theirs are common (a new one for each task). */
export const MAX_SESSIONS = 64;
/** Of them, those of one account, so that nobody shuts others out. */
export const MAX_SESSIONS_OF_ACCOUNT = 16;
/** ms for which a session is left alone after its last use. */
const SPARED_FOR = 60_000;

/**
 * The sessions that stay where one more of an account is opened; undefined: there is no room.
 *
 * Where an account has its share already, the one of its own goes that was used longest ago. Where all places are taken it is one of
 * the same account, too, or else one of anybody. None goes that is in use.
 *
 * @param idleFor ms since its last use
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
