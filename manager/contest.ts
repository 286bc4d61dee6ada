/** How often a part is written again at once after another client has undone it. */
export const PATIENCE = 4;
/** Milliseconds of the first pause; each later one is twice as long, up to the longest. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 600_000;
/** Milliseconds in which another controller undoes a write, at the latest. */
const SETTLED = 10_000;

interface Write {
  at: number;
  /** How often another client has undone it, in short succession. */
  undone: number;
  /** Time of the write after the last of these. */
  undoneAt: number;
}

/**
 * Notices that another controller undoes what the manager writes for one object, and makes the manager write it more and more seldom:
 * otherwise both would write for ever. A part is its status, or a child.
 */
export class Contest<P extends string> {
  readonly #writes = new Map<P, Write>();

  isOn(): boolean {
    return [...this.#writes.values()].some(isContested);
  }

  /** Whether the part may be written now. */
  allows(part: P, now: number): boolean {
    const write = this.#writes.get(part);
    return write === undefined || now >= write.at + pauseAfter(write);
  }

  /** @param wasUndone the object had by the manager what it no longer has */
  wrote(part: P, wasUndone: boolean, now: number): void {
    const { undone, undoneAt } = this.#recent(part, now) ?? { undone: 0, undoneAt: now };
    const write = { at: now, undone: wasUndone ? undone + 1 : undone, undoneAt: wasUndone ? now : undoneAt };
    // Most writes are never undone: these are not kept.
    if (write.undone === 0) this.#writes.delete(part);
    else this.#writes.set(part, write);
  }

  /** The part is as it was written: the contest is over if nothing was undone for long enough. */
  stands(part: P, now: number): void {
    const write = this.#writes.get(part);
    if (write !== undefined && now >= overAt(write)) this.#writes.delete(part);
  }

  /** The API server refused the write, so nothing of it was undone. */
  refused(part: P): void {
    this.#writes.delete(part);
  }

  /** Milliseconds until a contested part may be written, or the contest may be over; undefined: no part is contested. */
  dueIn(now: number): number | undefined {
    const writes = [...this.#writes.values()].filter(isContested);
    const times = writes.flatMap((write) => [write.at + pauseAfter(write), overAt(write)]).filter((time) => time > now);
    return times.length === 0 ? undefined : Math.min(...times) - now;
  }

  /** What was undone long ago does not count. */
  #recent(part: P, now: number): Write | undefined {
    const write = this.#writes.get(part);
    return write !== undefined && now - write.undoneAt < 6 * Math.max(SETTLED, pauseAfter(write)) ? write : undefined;
  }
}

function isContested({ undone }: Write): boolean {
  return undone >= PATIENCE;
}

function pauseAfter(write: Write): number {
  return isContested(write) ? Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (write.undone - PATIENCE)) : 0;
}

function overAt(write: Write): number {
  return write.undoneAt + Math.max(SETTLED, pauseAfter(write));
}
