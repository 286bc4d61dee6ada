import type { StoredSession } from '../../state.ts';

/** Sessions at once. Clients that forget to end theirs are common (a new one for each task). */
export const MAX_SESSIONS = 64;
/** ms for which a session is left alone after its last use. */
const SPARED_FOR = 60_000;

/**
 * The sessions that stay where one more of an account is opened; undefined: there is no room.
 *
 * Where all places are taken the one that was used longest ago goes: one of the same account, so that nobody drives out others by
 * opening many, or else one of anybody.
 *
 * @param idleFor ms since its last use
 */
export function makeRoom(
  sessions: readonly StoredSession[],
  account: number,
  idleFor: (session: StoredSession) => number,
): readonly StoredSession[] | undefined {
  if (sessions.length < MAX_SESSIONS) return sessions;
  const idle = sessions
    .filter((session) => idleFor(session) >= SPARED_FOR)
    .toSorted((a, b) => Number(b.account === account) - Number(a.account === account) || idleFor(b) - idleFor(a));
  const excess = sessions.length - MAX_SESSIONS + 1;
  if (idle.length < excess) return undefined;
  const leaving = new Set(idle.slice(0, excess));
  return sessions.filter((session) => !leaving.has(session));
}
