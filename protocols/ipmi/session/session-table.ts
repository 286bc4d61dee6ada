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
  readonly #halfOpen = new Map<ManagedSessionId, Begun>();
  readonly #active = new Map<ManagedSessionId, Session>();
  /** Of the active sessions. */
  readonly #handles = new Set<number>();

  constructor(options: SessionTableOptions) {
    this.#options = options;
  }

  get capacity(): number {
    return this.#options.maxSessions;
  }

  get active(): readonly Session[] {
    return [...this.#active.values()];
  }

  get activeCount(): number {
    return this.#active.size;
  }

  get halfOpenCount(): number {
    return this.#halfOpen.size;
  }

  get isFull(): boolean {
    return this.#active.size >= this.#options.maxSessions;
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
    const half = this.#halfOpen.get(id);
    return half === undefined || isChallenged(half) ? undefined : half;
  }

  challenged(id: ManagedSessionId, now: number): ChallengedSession | undefined {
    this.#expireHalfOpen(now);
    const half = this.#halfOpen.get(id);
    return half !== undefined && isChallenged(half) ? half : undefined;
  }

  abandon(half: Begun): void {
    this.#halfOpen.delete(half.id);
  }

  /** Makes a handshake an active session. Check {@link isFull} first. */
  activate(half: Begun, options: Omit<SessionOptions, 'id' | 'handle'>): Session {
    this.#halfOpen.delete(half.id);
    const session = new Session({ ...options, id: half.id, handle: this.#unusedHandle() });
    this.#active.set(session.id, session);
    this.#handles.add(session.handle);
    return session;
  }

  find(id: ManagedSessionId, now: number): Session | undefined {
    const session = this.#active.get(id);
    if (session === undefined || !this.#isExpired(session, now)) return session;
    this.end(session, 'Expired');
    return undefined;
  }

  end(session: Session, reason: SessionEnd): void {
    if (!this.#active.delete(session.id)) return;
    this.#handles.delete(session.handle);
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
    for (const half of this.#halfOpen.values()) this.#lapse(half, 'CutOff');
    for (const session of this.active) this.end(session, 'Invalidated');
  }

  #begin<T extends Begun>(half: T): T {
    this.#expireHalfOpen(half.openedAt);
    const displaced = this.#displacedBy(half.peer.address);
    if (displaced !== undefined) this.#lapse(displaced, 'Displaced');
    this.#halfOpen.set(half.id, half);
    return half;
  }

  #displacedBy(address: string): Begun | undefined {
    const { maxHalfOpen, maxHalfOpenPerSource } = this.#options;
    let oldest: Begun | undefined;
    let oldestSibling: Begun | undefined;
    let siblings = 0;
    for (const other of this.#halfOpen.values()) {
      oldest ??= other;
      if (other.peer.address !== address) continue;
      oldestSibling ??= other;
      siblings += 1;
    }
    if (siblings >= maxHalfOpenPerSource) return oldestSibling;
    return this.#halfOpen.size >= maxHalfOpen ? oldest : undefined;
  }

  #isExpired(session: Session, now: number): boolean {
    return now - session.lastActive > this.#options.sessionTimeout;
  }

  /** A Map keeps insertion order, so the first unexpired entry ends the search. */
  #expireHalfOpen(now: number): void {
    for (const half of this.#halfOpen.values()) {
      if (now - half.openedAt <= this.#options.halfOpenTimeout) return;
      this.#lapse(half, 'Expired');
    }
  }

  #lapse(half: Begun, why: Lapse): void {
    this.#halfOpen.delete(half.id);
    if (!isChallenged(half)) this.#options.onLapse(half, why);
  }

  /** IDs are random and cannot be guessed; two used ones in a row mean that the random source is broken. */
  #unusedId(): ManagedSessionId {
    for (let attempt = 0; attempt < 16; attempt += 1) {
      const id = managedSessionId(this.#options.random(4).readUInt32LE(0));
      if (id !== 0 && !this.#halfOpen.has(id) && !this.#active.has(id)) return id;
    }
    throw new Error('no unused session ID in 16 draws: the source of randomness repeats itself');
  }

  #unusedHandle(): number {
    let handle = 1;
    while (this.#handles.has(handle)) handle += 1;
    return handle;
  }
}

function isChallenged(half: Begun): half is ChallengedSession {
  return 'challenge' in half;
}
