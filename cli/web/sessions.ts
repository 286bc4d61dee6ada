import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@groundcrew/controller-runtime';
import { RequestError } from './request-error.ts';

export interface SessionsOptions {
  clock: Clock;
  random: (bytes: number) => Buffer;
  /** Called with each new key of a link, first by the constructor. A key opens one session. */
  onKey: (key: string) => void;
}

/** A browser that has used a link. */
export interface Session {
  /** Counts from 1, for the log. */
  readonly id: number;
  /** Aborted when it ends: what it has open ends with it. */
  readonly signal: AbortSignal;
  /** It is in use; see {@link IDLE}. */
  touch(): void;
}

interface Kept extends Session {
  readonly end: AbortController;
  used: number;
}

const BYTES = 32;
/** The one that was not used for the longest time ends when another browser comes. */
const MOST = 16;
/** Milliseconds without use after which a session ends. */
const IDLE = 12 * 3_600_000;
/** Wrong keys within a minute after which no key is accepted for the rest of it. */
const TRIES = 10;
const MINUTE = 60_000;

/** The browsers that may use the server. Of keys and tokens only hashes are kept. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #kept = new Map<string, Kept>();
  #key: Buffer;
  #count = 0;
  #wrong: number[] = [];

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#key = this.#newKey();
  }

  /**
   * Opens a session for the key of a link, which is then used up.
   *
   * @returns the token of the session
   * @throws RequestError 403: not the key; 429: too many wrong keys
   */
  open(key: string): string {
    const { clock, random } = this.#options;
    const now = clock.now();
    this.#wrong = this.#wrong.filter((time) => now - time < MINUTE);
    if (this.#wrong.length >= TRIES) throw new RequestError(429, 'Too many wrong keys: wait a minute.');
    if (!timingSafeEqual(hashOf(key), this.#key)) {
      this.#wrong.push(now);
      throw new RequestError(
        403,
        'This link was used already, or it is of another start. Open the newest that was printed.',
      );
    }
    this.#key = this.#newKey();
    this.#dropIdle();
    if (this.#kept.size >= MOST) this.#dropOldest();
    const token = random(BYTES).toString('base64url');
    this.#count += 1;
    const end = new AbortController();
    const session: Kept = {
      id: this.#count,
      end,
      signal: end.signal,
      used: now,
      touch: () => {
        session.used = clock.now();
      },
    };
    this.#kept.set(nameOf(token), session);
    return token;
  }

  /** The session of a token, which is thereby in use. */
  find(token: string | undefined): Session | undefined {
    this.#dropIdle();
    // Hashes are compared, so the time of the look-up tells nothing of a token.
    const session = token === undefined ? undefined : this.#kept.get(nameOf(token));
    session?.touch();
    return session;
  }

  end(token: string): void {
    this.#drop(nameOf(token));
  }

  #dropIdle(): void {
    const now = this.#options.clock.now();
    for (const [name, { used }] of this.#kept) if (now - used >= IDLE) this.#drop(name);
  }

  #dropOldest(): void {
    const [oldest] = [...this.#kept].sort(([, a], [, b]) => a.used - b.used);
    if (oldest !== undefined) this.#drop(oldest[0]);
  }

  #drop(name: string): void {
    const session = this.#kept.get(name);
    this.#kept.delete(name);
    session?.end.abort();
  }

  #newKey(): Buffer {
    const key = this.#options.random(BYTES).toString('base64url');
    this.#options.onKey(key);
    return hashOf(key);
  }
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function nameOf(token: string): string {
  return hashOf(token).toString('hex');
}
