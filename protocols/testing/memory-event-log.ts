import type { EventLog, LogEntry, MachineEvent, Requester } from '../machine/index.ts';

/** An {@link EventLog} that ends with the process. */
export class MemoryEventLog implements EventLog {
  readonly capacity: number;
  readonly #now: () => number;
  readonly #listeners = new Set<(entry: LogEntry) => void>();
  #entries: LogEntry[] = [];
  #lastId = 0;
  lastAdded: number | undefined;
  lastErased: number | undefined;
  hasOverflowed = false;

  /** @param now ms since 1970 */
  constructor(now: () => number = () => 0, capacity = 512) {
    this.#now = now;
    this.capacity = capacity;
  }

  entries(): readonly LogEntry[] {
    return this.#entries;
  }

  append(event: MachineEvent): LogEntry {
    this.#lastId += 1;
    const entry = { id: this.#lastId, at: this.#now(), event };
    if (this.#entries.length === this.capacity) this.hasOverflowed = true;
    this.#entries = [...this.#entries, entry].slice(-this.capacity);
    this.lastAdded = entry.at;
    for (const listener of this.#listeners) listener(entry);
    return entry;
  }

  remove(id: number): boolean {
    const left = this.#entries.filter((entry) => entry.id !== id);
    const isThere = left.length < this.#entries.length;
    this.#entries = left;
    if (isThere) this.lastErased = this.#now();
    return isThere;
  }

  clear(requester: Requester): void {
    this.#entries = [];
    this.hasOverflowed = false;
    this.lastErased = this.#now();
    this.append({ kind: 'Cleared', requester });
  }

  subscribe(listener: (entry: LogEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
