import type { Clock } from '../../../kube/index.ts';
import type { EventLog, LogEntry, MachineEvent, Requester } from '../../../protocols/machine/index.ts';

const CAPACITY = 512;

/** A BMC's event log in memory. */
export class EventRing implements EventLog {
  readonly capacity = CAPACITY;
  readonly #clock: Clock;
  #entries: LogEntry[] = [];
  #lastId = 0;
  lastAdded: number | undefined;
  lastErased: number | undefined;
  hasOverflowed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  entries(): readonly LogEntry[] {
    return this.#entries;
  }

  append(event: MachineEvent): LogEntry {
    this.#lastId += 1;
    const entry = { id: this.#lastId, at: this.#clock.now(), event };
    if (this.#entries.length === CAPACITY) this.hasOverflowed = true;
    this.#entries = [...this.#entries, entry].slice(-CAPACITY);
    this.lastAdded = entry.at;
    return entry;
  }

  remove(id: number): boolean {
    const left = this.#entries.filter((entry) => entry.id !== id);
    const isThere = left.length < this.#entries.length;
    this.#entries = left;
    if (isThere) this.lastErased = this.#clock.now();
    return isThere;
  }

  clear(requester: Requester): void {
    this.#entries = [];
    this.hasOverflowed = false;
    this.lastErased = this.#clock.now();
    this.append({ kind: 'Cleared', requester });
  }
}
