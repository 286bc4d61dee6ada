import { isDeepStrictEqual } from 'node:util';
import { ApiError, type Clock, type ConfigMap, type Logger, retryOnConflict } from '@groundcrew/controller-runtime';
import type { EventLog, LogEntry, MachineEvent, Requester } from '../../../protocols/machine/index.ts';
import { isGoneOrChanged } from '../objects/object-version.ts';
import type { OwnedObject } from '../objects/owned-object.ts';
import { cutEvent, decodeLog, encodeLog, LOG_KEYS, MAX_WRITES } from './log-codec.ts';
import { LogWriter } from './log-writer.ts';
import { diffEvents, type ObservedState } from './observed-state.ts';
import {
  applied,
  CAPACITY,
  cleared,
  EMPTY_LOG,
  hasChanges,
  type LogContent,
  NO_CHANGES,
  type PendingChanges,
  rebased,
  settled,
  withEntry,
  withoutEntry,
  withoutObservedState,
} from './pending-changes.ts';

export interface BmcEventLogOptions {
  object: OwnedObject<ConfigMap>;
  /** Reports a problem to users: a reason in CamelCase, and a sentence. */
  report: (reason: string, message: string) => void;
  random: (size: number) => Buffer;
  clock: Clock;
  logger: Logger;
}

/** Returns the current state of the machine, given the last logged state; undefined: it is unknown. */
type Look = (before: ObservedState | undefined) => ObservedState | undefined;

/** A write whose answer may be lost. */
interface Attempt {
  name: string;
  changes: PendingChanges;
}

/**
 * A BMC's event log. Stored content and pending changes are kept apart in memory, so that overlapping agents can share
 * one log: after a conflict an agent applies its changes to the new content. A pending entry gets a new ID if another
 * agent has used its ID.
 */
export class BmcEventLog implements EventLog {
  readonly capacity = CAPACITY;
  readonly #options: BmcEventLogOptions;
  readonly #listeners = new Set<(entry: LogEntry) => void>();
  readonly #writer: LogWriter;
  #stored: LogContent = EMPTY_LOG;
  /** Resource version of `#stored`. */
  #version: string | undefined;
  #pending: PendingChanges = NO_CHANGES;
  #shown: LogContent | undefined = EMPTY_LOG;
  #unreadable: readonly string[] = [];
  #unanswered: Attempt[] = [];
  #isWriting = false;
  /** The argument of the last `see`. */
  #look: Look | undefined;

  constructor(options: BmcEventLogOptions) {
    const { clock, logger, object } = options;
    this.#options = options;
    this.#writer = new LogWriter({
      write: (signal) => this.#write(signal),
      hasWork: () => object.hasSettled && (hasChanges(this.#pending) || this.#unreadable.length > 0),
      clock,
      logger,
    });
  }

  /** Whether the stored log is loaded; until then it has only the entries of this process. */
  get hasSettled(): boolean {
    return this.#options.object.hasSettled;
  }

  entries(): readonly LogEntry[] {
    return this.#log.entries;
  }

  get lastAdded(): number | undefined {
    return this.#log.lastAdded;
  }

  get lastErased(): number | undefined {
    return this.#log.lastErased;
  }

  get hasOverflowed(): boolean {
    return this.#log.hasOverflowed;
  }

  append(event: MachineEvent): LogEntry {
    return this.#append(event, false);
  }

  remove(id: number): boolean {
    if (!this.#log.entries.some((entry) => entry.id === id)) return false;
    this.#change(withoutEntry(this.#pending, id, this.#options.clock.now()));
    return true;
  }

  clear(requester: Requester): void {
    this.#change(cleared(this.#pending, this.#stored, this.#options.clock.now()));
    this.append({ kind: 'Cleared', requester });
  }

  subscribe(listener: (entry: LogEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Adds the changes of the machine since it was last seen, by any agent. Only for the acting agent. */
  see(look: Look): void {
    if (!this.#options.object.hasSettled) return;
    this.#look = look;
    const before = this.#log.seen;
    const seen = look(before);
    if (seen === undefined || isDeepStrictEqual(seen, before)) return;
    for (const event of diffEvents(before, seen)) this.#append(event, true);
    this.#change({ ...this.#pending, seen });
  }

  /** Takes over the content of the ConfigMap. Call after every change of it. */
  follow(): void {
    const { object } = this.#options;
    if (this.#isWriting || !object.hasSettled) return;
    this.#adopt(object.object);
    this.#writer.wake();
  }

  /** Stops writing. Writes pending changes first, within a time limit, unless `keep` is false. */
  async close(keep: boolean): Promise<void> {
    this.#options.object.stop();
    await this.#writer.close(keep);
  }

  get #log(): LogContent {
    this.#shown ??= applied(this.#pending, this.#stored);
    return this.#shown;
  }

  #append(event: MachineEvent, isSeen: boolean): LogEntry {
    const entry = { id: this.#log.lastId + 1, at: this.#options.clock.now(), event: cutEvent(event) };
    this.#change(withEntry(this.#pending, entry, isSeen));
    for (const listener of this.#listeners) listener(entry);
    return entry;
  }

  #change(pending: PendingChanges): void {
    this.#pending = pending;
    this.#shown = undefined;
    this.#writer.wake();
  }

  #adopt(object: ConfigMap | undefined): void {
    const version = object?.metadata.resourceVersion;
    if (version === this.#version) return;
    this.#version = version;
    const { content, unreadable } = decodeLog(object?.data ?? {});
    // IDs are never reused, and the last seen state stays valid, even after a user deleted the ConfigMap.
    const { lastId, seen } = this.#stored;
    this.#stored = { ...content, lastId: Math.max(content.lastId, lastId), seen: content.seen ?? seen };
    const done = this.#unanswered.findLast(({ name }) => content.writes.includes(name));
    if (done !== undefined) {
      this.#pending = settled(this.#pending, done.changes);
      this.#unanswered = [];
    }
    // Another agent has logged what it has seen; log only the difference to that.
    const seesAnew =
      done === undefined && this.#pending.seen !== undefined && !isDeepStrictEqual(this.#stored.seen, seen);
    if (seesAnew) this.#pending = withoutObservedState(this.#pending);
    this.#pending = rebased(this.#pending, this.#stored);
    this.#shown = undefined;
    if (seesAnew && this.#look !== undefined) this.see(this.#look);
    this.#tellUnreadable(unreadable);
  }

  #tellUnreadable(lines: readonly string[]): void {
    this.#unreadable = lines;
    if (lines.length === 0) return;
    const { object, report, logger } = this.#options;
    const message =
      `ConfigMap ${object.name} has lines that are not entries of an event log: ${lines.length}. ` +
      `They are moved to its key ${LOG_KEYS.unreadable}; all others are kept.`;
    logger.warn({ configMap: object.name, lines: lines.length }, message);
    report('EventLogUnreadable', message);
  }

  async #write(signal: AbortSignal): Promise<void> {
    const { object, clock } = this.#options;
    this.#isWriting = true;
    try {
      await retryOnConflict(
        async (attempt) => {
          signal.throwIfAborted();
          // Only the current ConfigMap shows whether a write without an answer was done.
          const mustRead = attempt > 1 || this.#unanswered.length > 0;
          await this.#attempt(mustRead ? await object.read(signal) : object.object, signal);
        },
        { clock, signal, isConflict: isGoneOrChanged },
      );
    } finally {
      this.#isWriting = false;
      this.#adopt(object.object);
    }
  }

  async #attempt(base: ConfigMap | undefined, signal: AbortSignal): Promise<void> {
    const { object, random } = this.#options;
    this.#adopt(base);
    if (!hasChanges(this.#pending) && this.#unreadable.length === 0) return;
    const name = random(6).toString('hex');
    const changes = this.#pending;
    const content = applied(changes, this.#stored);
    const written = { ...content, writes: [...content.writes, name].slice(-MAX_WRITES) };
    const data = encodeLog(written, this.#unreadable, base?.data?.[LOG_KEYS.unreadable]);
    this.#unanswered.push({ name, changes });
    try {
      const { metadata } = await object.write(base, data, signal);
      this.#version = metadata.resourceVersion;
    } catch (error) {
      if (isRefusal(error)) this.#unanswered.pop();
      // The ConfigMap remembers only this many writes.
      this.#unanswered = this.#unanswered.slice(-MAX_WRITES);
      throw error;
    }
    this.#unanswered = [];
    this.#stored = written;
    this.#unreadable = [];
    this.#pending = settled(this.#pending, changes);
    this.#shown = undefined;
  }
}

/** Whether the API server certainly did not write: not certain for 5xx. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500;
}
