import { createHmac, hash } from 'node:crypto';
import type { Account } from '../../accounts.ts';
import type { SessionRegister } from '../context.ts';
import { base, RedfishError } from '../messages.ts';
import type { RedfishOptions } from '../options.ts';
import type { RedfishState, StoredSession } from '../state.ts';
import { SESSIONS } from '../uris.ts';
import { mayLogIn } from './guarded-logins.ts';

/** Default session timeout, seconds. */
const DEFAULT_TIMEOUT = 30 * 60;
/** A use is stored if the stored time is older than this fraction of the timeout, so a restart shortens a session by no more than that. */
const STORED_PER_TIMEOUT = 4;
/** ms until a failed write of the last use is repeated. */
const STORE_AGAIN_AFTER = 10_000;
/** ms between checks for ended sessions. */
const SWEEP_INTERVAL = 60_000;
const TOKEN_BYTES = 32;

const NONE: readonly StoredSession[] = [];

type SessionOptions = Pick<
  RedfishOptions,
  'accounts' | 'state' | 'admitsLogins' | 'observer' | 'random' | 'time' | 'schedule'
>;

/** State of a session whose token was seen by this process. */
interface Proof {
  readonly key: Buffer;
  /** The account that matched the mark; undefined: not checked yet. */
  readonly account?: Account;
}

/**
 * The sessions of one BMC. They are stored without their tokens and read from the store at each use, so that each process knows the
 * sessions of the others. The time of last use is kept in memory and stored periodically.
 */
export class StoredSessions implements SessionRegister {
  readonly #options: SessionOptions;
  readonly #onEnd: () => void;
  #indexed = NONE;
  readonly #byHash = new Map<string, StoredSession>();
  /** Time of last use by session ID, ms since 1970. */
  readonly #used = new Map<string, number>();
  readonly #proofs = new Map<string, Proof>();
  #isStoring = false;
  #storeAfter = -Infinity;
  #cancelSweep: () => void;

  /** @param onEnd sessions have ended, or an account has changed */
  constructor(options: SessionOptions, onEnd: () => void) {
    this.#options = options;
    this.#onEnd = onEnd;
    this.#cancelSweep = this.#scheduleSweep();
  }

  get timeout(): number {
    return this.#options.state.current().settings?.sessionTimeout ?? DEFAULT_TIMEOUT;
  }

  list(): readonly StoredSession[] {
    return this.#stored().filter((session) => this.#lives(session));
  }

  find(id: string): StoredSession | undefined {
    return this.list().find((session) => session.id === id);
  }

  /** The session of a token; marks it as used. Undefined: the session has ended. */
  use(token: string): { id: string; account: Account } | undefined {
    this.#stored();
    const session = this.#byHash.get(tokenHash(token));
    if (session === undefined || this.#isOverdue(session)) return undefined;
    if (!this.#proofs.has(session.id)) this.#proofs.set(session.id, { key: markKey(token) });
    const account = this.#accountOf(session);
    if (account === undefined) return undefined;
    this.#noteUse(session);
    return { id: session.id, account };
  }

  async open(account: Account, address: string, context?: string): Promise<{ session: StoredSession; token: string }> {
    if (!this.#options.admitsLogins()) {
      throw new RedfishError(503, [base('ServiceTemporarilyUnavailable', ['5'])], { 'Retry-After': '5' });
    }
    const token = this.#options.random(TOKEN_BYTES).toString('hex');
    const key = markKey(token);
    const at = this.#options.time();
    const made: { session?: StoredSession; ended?: readonly StoredSession[] } = {};
    await this.#options.state.change((stored) => {
      delete made.session;
      const living = (stored.sessions ?? NONE).filter((session) => this.#lives(session));
      const left = makeRoom(living, account.id, (session) => this.#idleFor(session));
      if (left === undefined) return {};
      made.ended = living.filter((session) => !left.includes(session));
      const number = (stored.counters?.['session'] ?? 0) + 1;
      made.session = {
        id: String(number),
        tokenHash: tokenHash(token),
        ...{ account: account.id, userName: account.name, address },
        ...(context !== undefined && { context }),
        ...{ createdAt: at, usedAt: at, accountMark: accountMark(account, key) },
      };
      return { sessions: [...left, made.session], counters: { ...stored.counters, session: number } };
    });
    const { session } = made;
    if (session === undefined) throw new RedfishError(503, [base('SessionLimitExceeded')], { 'Retry-After': '60' });
    this.#proofs.set(session.id, { key, account });
    for (const { userName } of made.ended ?? []) {
      const what = `an idle session of ${JSON.stringify(userName)} was ended: the session limit was reached`;
      this.#options.observer.audited({ protocol: 'Redfish', user: account.name, address }, what);
    }
    return { session, token };
  }

  async end(id: string): Promise<boolean> {
    let isThere = false;
    await this.#keep((session) => {
      if (session.id !== id) return session;
      isThere = true;
      return undefined;
    });
    this.#onEnd();
    return isThere;
  }

  async accountChanged(account: number, changedBy?: string): Promise<void> {
    try {
      if (!this.#stored().some((session) => session.account === account)) return;
      await this.#keep((session) => {
        if (session.account !== account) return session;
        return session.id === changedBy ? this.#markedAnew(session) : undefined;
      });
    } finally {
      // Also if it cannot be stored: the account has changed.
      this.#onEnd();
    }
  }

  close(): void {
    this.#cancelSweep();
  }

  #stored(): readonly StoredSession[] {
    const stored = this.#options.state.current().sessions ?? NONE;
    if (stored !== this.#indexed) this.#index(stored);
    return stored;
  }

  #index(stored: readonly StoredSession[]): void {
    this.#indexed = stored;
    this.#byHash.clear();
    for (const session of stored) this.#byHash.set(session.tokenHash, session);
    const ids = new Set(stored.map(({ id }) => id));
    for (const id of this.#used.keys()) if (!ids.has(id)) this.#used.delete(id);
    for (const id of this.#proofs.keys()) if (!ids.has(id)) this.#proofs.delete(id);
  }

  #idleFor({ id, usedAt }: StoredSession): number {
    return this.#options.time() - Math.max(usedAt, this.#used.get(id) ?? 0);
  }

  #isOverdue(session: StoredSession): boolean {
    return this.#idleFor(session) >= this.timeout * 1000;
  }

  /** Sessions are kept while there are no accounts at all, for example while the owner's account cannot be read. */
  #lives(session: StoredSession): boolean {
    if (this.#isOverdue(session)) return false;
    return this.#options.accounts.list().length === 0 || this.#accountOf(session) !== undefined;
  }

  /** The account of a session, if unchanged since the session was opened. */
  #accountOf(session: StoredSession): Account | undefined {
    const account = this.#options.accounts.list().find(({ id }) => id === session.account);
    if (account === undefined || !mayLogIn(account) || account.name !== session.userName) return undefined;
    const proof = this.#proofs.get(session.id);
    if (proof === undefined) return session.accountMark.startsWith(rolePart(account.role)) ? account : undefined;
    if (proof.account === account) return account;
    if (accountMark(account, proof.key) !== session.accountMark) return undefined;
    this.#proofs.set(session.id, { ...proof, account });
    return account;
  }

  #markedAnew(session: StoredSession): StoredSession | undefined {
    const account = this.#options.accounts.list().find(({ id }) => id === session.account);
    const proof = this.#proofs.get(session.id);
    if (account === undefined || proof === undefined) return undefined;
    return { ...session, userName: account.name, accountMark: accountMark(account, proof.key) };
  }

  #noteUse(session: StoredSession): void {
    const now = this.#options.time();
    this.#used.set(session.id, now);
    const isOld = now - session.usedAt >= (this.timeout * 1000) / STORED_PER_TIMEOUT;
    if (isOld && !this.#isStoring && now >= this.#storeAfter) void this.#storeUses();
  }

  async #storeUses(): Promise<void> {
    this.#isStoring = true;
    try {
      await this.#keep((session) => ({
        ...session,
        usedAt: Math.max(session.usedAt, this.#used.get(session.id) ?? 0),
      }));
    } catch (error) {
      this.#storeAfter = this.#options.time() + STORE_AGAIN_AFTER;
      this.#options.observer.failed(error, 'PATCH', SESSIONS);
    } finally {
      this.#isStoring = false;
    }
  }

  #scheduleSweep(): () => void {
    return this.#options.schedule(() => {
      this.#cancelSweep = this.#scheduleSweep();
      void this.#sweep();
    }, SWEEP_INTERVAL);
  }

  async #sweep(): Promise<void> {
    // Only the active process may end sessions while two processes serve a BMC.
    if (!this.#options.admitsLogins() || this.#stored().every((session) => this.#lives(session))) return;
    try {
      await this.#keep((session) => (this.#lives(session) ? session : undefined));
    } catch (error) {
      this.#options.observer.failed(error, 'DELETE', SESSIONS);
    }
  }

  /** Stores the result of `revise` for each session; undefined: the session ends. */
  async #keep(revise: (session: StoredSession) => StoredSession | undefined): Promise<void> {
    await this.#options.state.change((stored: RedfishState) => {
      const before = stored.sessions ?? NONE;
      const after = before.flatMap((session) => revise(session) ?? []);
      const isSame = after.length === before.length && after.every((session, i) => session === before[i]);
      return isSame ? {} : { sessions: after };
    });
  }
}

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

/** Key under which a session is stored. It is a hash, so that the stored value cannot be used to log in. */
function tokenHash(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Key of the account mark of a session. Derived from the token and not stored, so that passwords cannot be guessed from a mark. */
function markKey(token: string): Buffer {
  return createHmac('sha256', token).update('account mark').digest();
}

/** Changes with the account's name, password or role: `Operator.3b1f…`. */
function accountMark({ id, name, password, role }: Account, key: Buffer): string {
  const content = JSON.stringify([id, name, role, password?.toString('base64')]);
  return `${rolePart(role)}${createHmac('sha256', key).update(content).digest('hex')}`;
}

/** Prefix of a mark; it can be checked before the token of the session was seen. */
function rolePart(role: Account['role']): string {
  return `${role}.`;
}
