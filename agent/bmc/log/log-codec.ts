import type { LogEntry } from '../../../protocols/machine/index.ts';
import { readObservedState } from '../observed-state/index.ts';
import { decodeEntry, encodeEntry } from './entry-codec.ts';
import { CAPACITY, EMPTY_LOG, type LogContent } from './log-content.ts';

/** Keys of the ConfigMap. */
export const LOG_KEYS = {
  /** One entry per line, oldest first. */
  log: 'log',
  /** What the agents have to remember beside the entries. */
  about: 'about',
  /** Lines that were found in `log` and are no entries, as they stood there. */
  unreadable: 'unreadable',
} as const;

/** Characters that are kept of lines that are no entries, the last ones. */
const MAX_UNREADABLE = 16_384;

type Data = Readonly<Record<string, string>>;

/** Writes that are remembered: more than agents that overlap have under way. */
export const MAX_WRITES = 8;

/** A log as its ConfigMap holds it; `unreadable` are lines that came to light since it was written last. */
export function encodeLog(
  content: LogContent,
  unreadable: readonly string[] = [],
  before = '',
): Record<string, string> {
  const { entries, lastId, lastAdded, lastErased, hasOverflowed, seen, writes } = content;
  const about = {
    lastId,
    ...(lastAdded === undefined ? {} : { lastAdded: new Date(lastAdded).toISOString() }),
    ...(lastErased === undefined ? {} : { lastErased: new Date(lastErased).toISOString() }),
    hasOverflowed,
    ...(seen === undefined ? {} : { seen }),
    writes,
  };
  return {
    [LOG_KEYS.log]: entries.map((entry) => `${encodeEntry(entry)}\n`).join(''),
    [LOG_KEYS.about]: JSON.stringify(about),
    ...(unreadable.length === 0
      ? {}
      : { [LOG_KEYS.unreadable]: [before, ...unreadable].filter(Boolean).join('\n').slice(-MAX_UNREADABLE) }),
  };
}

/**
 * Reads what {@link encodeLog} wrote, and what people made of it: lines that are no entry, or repeat the ID of one, come back as
 * `unreadable`; where `about` is no more, it is made from the entries.
 */
export function decodeLog(data: Data): { content: LogContent; unreadable: readonly string[] } {
  const lines = (data[LOG_KEYS.log] ?? '').split('\n').filter((line) => line.trim() !== '');
  const byId = new Map<number, LogEntry>();
  const unreadable: string[] = [];
  for (const line of lines) {
    const entry = decodeEntry(line);
    if (entry === undefined || byId.has(entry.id)) unreadable.push(line);
    else byId.set(entry.id, entry);
  }
  const all = [...byId.values()].sort((a, b) => a.id - b.id);
  const about = recordOf(data[LOG_KEYS.about]);
  const written = about['lastId'];
  const lastId = Number.isSafeInteger(written) ? Number(written) : 0;
  const writes = about['writes'];
  const content: LogContent = {
    ...EMPTY_LOG,
    entries: all.slice(-CAPACITY),
    lastId: Math.max(lastId, all.at(-1)?.id ?? 0),
    lastAdded: timeOf(about['lastAdded']) ?? all.at(-1)?.at,
    lastErased: timeOf(about['lastErased']),
    hasOverflowed: about['hasOverflowed'] === true || all.length > CAPACITY,
    seen: readObservedState(about['seen']),
    writes: Array.isArray(writes) ? writes.filter((write) => typeof write === 'string') : [],
  };
  return { content, unreadable };
}

function recordOf(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(text ?? '{}') as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? undefined : time;
}
