import { type ManagedSessionId, managedSessionId } from '../rmcpplus/session-id.ts';
import type { ChallengedSession, HalfOpenSession } from './half-open-session.ts';
import { Session, type SessionOptions } from './session.ts';

export type SessionEnd = 'Closed' | 'Expired' | 'Invalidated';

export type Lapse = 'Expired' | 'Displaced' | 'CutOff';

export interface SessionLimits {
  /** Maximum number of active sessions, 1 to 63: Get Session Info and Get Channel Info count with 6 bits. */
  maxSessions: number;
  /** Maximum number of handshakes; a new one displaces the oldest. */
  maxHalfOpen: number;
  /** The same per source address. */
  maxHalfOpenPerSource: number;
  /** ms without a genuine packet, IPMI 2.0 §6.12.15. */
  sessionTimeout: number;
  /** ms from Open Session to RAKP 3. */
  halfOpenTimeout: number;
}

export interface SessionTableOptions extends SessionLimits {
  random: (size: number) => Buffer;
  onEnd: (session: Session, reason: SessionEnd) => void;
  /** Called when a handshake expires, is displaced, or ends with all others. */
  onLapse: (half: HalfOpenSession, why: Lapse) => void;
}

/** A handshake of IPMI 2.0 or 1.5. */
type Begun = HalfOpenSession | ChallengedSession;

/** All sessions of a BMC, with fixed limits. */
export class SessionTable {
  readonly #options: SessionTableOptions;
  /**
   * The oldest first. Arrays: they are short, and change all the time. A Map that changes leaves its earlier tables behind, and an
   * old one keeps the sessions of all later ones in memory until the next full garbage collection.
   */
  readonly #halfOpen: Begun[] = [];
  readonly #active: Session[] = [];

  constructor(options: SessionTableOptions) {
    this.#options = options;
  }

  get capacity(): number {
    return this.#options.maxSessions;
  }

  get active(): readonly Session[] {
    return [...this.#active];
  }

  get activeCount(): number {
    return this.#active.length;
  }

  get halfOpenCount(): number {
    return this.#halfOpen.length;
  }

  get isFull(): boolean {
    return this.#active.length >= this.#options.maxSessions;
  }

  /** Starts a handshake. At the limit, the oldest is displaced, first among those of the same source. */
  begin(half: Omit<HalfOpenSession, 'id'>): HalfOpenSession {
    return this.#begin({ ...half, id: this.#unusedId() });
  }

  /** The same for IPMI 1.5. */
  beginChallenged(half: Omit<ChallengedSession, 'id'>): ChallengedSession {
    return this.#begin({ ...half, id: this.#unusedId() });
  }

  halfOpen(id: ManagedSessionId, now: number): HalfOpenSession | undefined {
    this.#expireHalfOpen(now);
    const half = withId(this.#halfOpen, id);
    return half === undefined || isChallenged(half) ? undefined : half;
  }

  challenged(id: ManagedSessionId, now: number): ChallengedSession | undefined {
    this.#expireHalfOpen(now);
    const half = withId(this.#halfOpen, id);
    return half !== undefined && isChallenged(half) ? half : undefined;
  }

  abandon(half: Begun): void {
    remove(this.#halfOpen, half);
  }

  /** Makes a handshake an active session. Check {@link isFull} first. */
  activate(half: Begun, options: Omit<SessionOptions, 'id' | 'handle'>): Session {
    remove(this.#halfOpen, half);
    const session = new Session({ ...options, id: half.id, handle: this.#unusedHandle() });
    this.#active.push(session);
    return session;
  }

  find(id: ManagedSessionId, now: number): Session | undefined {
    const session = withId(this.#active, id);
    if (session === undefined || !this.#isExpired(session, now)) return session;
    this.end(session, 'Expired');
    return undefined;
  }

  end(session: Session, reason: SessionEnd): void {
    if (!remove(this.#active, session)) return;
    session.isOpen = false;
    this.#options.onEnd(session, reason);
  }

  expire(now: number): void {
    this.#expireHalfOpen(now);
    for (const session of this.active) if (this.#isExpired(session, now)) this.end(session, 'Expired');
  }

  /** Ends the active sessions that match `isOver`. */
  endWhere(isOver: (session: Session) => boolean): void {
    for (const session of this.active) if (isOver(session)) this.end(session, 'Invalidated');
  }

  clear(): void {
    for (const half of [...this.#halfOpen]) this.#lapse(half, 'CutOff');
    for (const session of this.active) this.end(session, 'Invalidated');
  }

  #begin<T extends Begun>(half: T): T {
    this.#expireHalfOpen(half.openedAt);
    const displaced = this.#displacedBy(half.peer.address);
    if (displaced !== undefined) this.#lapse(displaced, 'Displaced');
    this.#halfOpen.push(half);
    return half;
  }

  #displacedBy(address: string): Begun | undefined {
    const { maxHalfOpen, maxHalfOpenPerSource } = this.#options;
    const siblings = this.#halfOpen.filter((other) => other.peer.address === address);
    if (siblings.length >= maxHalfOpenPerSource) return siblings[0];
    return this.#halfOpen.length >= maxHalfOpen ? this.#halfOpen[0] : undefined;
  }

  #isExpired(session: Session, now: number): boolean {
    return now - session.lastActive > this.#options.sessionTimeout;
  }

  #expireHalfOpen(now: number): void {
    for (;;) {
      const [oldest] = this.#halfOpen;
      if (oldest === undefined || now - oldest.openedAt <= this.#options.halfOpenTimeout) return;
      this.#lapse(oldest, 'Expired');
    }
  }

  #lapse(half: Begun, why: Lapse): void {
    remove(this.#halfOpen, half);
    if (!isChallenged(half)) this.#options.onLapse(half, why);
  }

  /** IDs are random and cannot be guessed; two used ones in a row mean that the random source is broken. */
  #unusedId(): ManagedSessionId {
    for (let attempt = 0; attempt < 16; attempt += 1) {
      const id = managedSessionId(this.#options.random(4).readUInt32LE(0));
      if (id !== 0 && !withId(this.#halfOpen, id) && !withId(this.#active, id)) return id;
    }
    throw new Error('no unused session ID in 16 draws: the source of randomness repeats itself');
  }

  #unusedHandle(): number {
    let handle = 1;
    while (this.#active.some((session) => session.handle === handle)) handle += 1;
    return handle;
  }
}

function withId<T extends { readonly id: ManagedSessionId }>(list: readonly T[], id: ManagedSessionId): T | undefined {
  return list.find((each) => each.id === id);
}

/** Whether it was in the list. */
function remove<T>(list: T[], item: T): boolean {
  const index = list.indexOf(item);
  if (index >= 0) list.splice(index, 1);
  return index >= 0;
}

function isChallenged(half: Begun): half is ChallengedSession {
  return 'challenge' in half;
}
