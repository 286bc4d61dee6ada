import { POWER_ACTIONS, type LogEntry, type MachineEvent } from '../../../protocols/machine/index.ts';
import { readObservedState } from './observed-state.ts';
import { CAPACITY, EMPTY_LOG, type LogContent } from './pending-changes.ts';

/** Keys of the ConfigMap. */
export const LOG_KEYS = {
  /** One entry per line, oldest first. */
  log: 'log',
  /** Data of the log other than its entries. */
  about: 'about',
  /** Lines of `log` that are not entries. */
  unreadable: 'unreadable',
} as const;

/** Maximum characters of `unreadable`; the last ones are kept. */
const MAX_UNREADABLE = 16_384;

type Data = Readonly<Record<string, string>>;

/** Number of remembered writes; more than overlapping agents have in progress. */
export const MAX_WRITES = 8;

/**
 * The data of the ConfigMap.
 *
 * @param unreadable unreadable lines found since the last write
 * @param before the text under `unreadable`
 */
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
 * Reads the data of the ConfigMap, which users may have edited. Lines that are not entries, or repeat an ID, are returned as
 * `unreadable`. Missing data in `about` is derived from the entries.
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

type Kind = MachineEvent['kind'];
type EventOf<K extends Kind> = Extract<MachineEvent, { kind: K }>;
type Check = (value: unknown) => boolean;
/** The checks of all fields of all kinds of events. */
type Shapes = { readonly [K in Kind]: { readonly [F in Exclude<keyof EventOf<K>, 'kind'>]-?: Check } };

const text: Check = (value) => typeof value === 'string';
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && values.includes(value);
const byte: Check = (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 0xff;
const hex: Check = (value) => typeof value === 'string' && value.length <= 32 && /^([0-9a-f]{2})*$/.test(value);
const requester: Check = (value) =>
  isRecord(value) && oneOf('IPMI', 'Redfish')(value['protocol']) && text(value['user']) && text(value['address']);
const outcome = oneOf('Accepted', 'Refused', 'Unknown');

const SHAPES: Shapes = {
  PowerState: { state: oneOf('On', 'Off') },
  PowerAction: { action: oneOf(...POWER_ACTIONS), outcome, requester },
  BootOverride: { target: optional(text), outcome, requester },
  BootOrder: { order: optional(text), outcome, requester },
  BootOverrideEnded: { why: oneOf('Booted', 'Lapsed', 'Dropped') },
  Media: { change: oneOf('Inserted', 'Ejected'), slot: text, requester: optional(requester) },
  LoginFailed: { requester, why: oneOf('UnknownUser', 'WrongPassword', 'LockedOut', 'Refused') },
  Watchdog: { action: oneOf('None', 'Reset', 'PowerDown', 'PowerCycle'), use: byte },
  AccountChanged: { account: text, requester },
  Cleared: { requester },
  Record: { type: byte, body: hex, requester },
};

/** An entry as one line of JSON: `{"id":7,"at":"2026-01-01T00:00:00.000Z","kind":"PowerState","state":"On"}`. */
export function encodeEntry({ id, at, event }: LogEntry): string {
  return JSON.stringify({ id, at: new Date(at).toISOString(), ...event });
}

/** The entry in a line; undefined if it is invalid or of an unknown kind. Unknown fields are left out. */
export function decodeEntry(line: string): LogEntry | undefined {
  const value = parse(line);
  if (!isRecord(value)) return undefined;
  const { id, at, kind } = value;
  const time = typeof at === 'string' ? Date.parse(at) : NaN;
  if (!Number.isSafeInteger(id) || Number(id) < 1 || Number.isNaN(time)) return undefined;
  if (typeof kind !== 'string' || !Object.hasOwn(SHAPES, kind)) return undefined;
  const shape: Readonly<Record<string, Check>> = SHAPES[kind as Kind]; // it has that key
  const fields = Object.entries(shape);
  if (!fields.every(([field, check]) => check(value[field]))) return undefined;
  const known = fields.flatMap(([field]) => (value[field] === undefined ? [] : [[field, plain(value[field])]]));
  const event = { kind, ...(Object.fromEntries(known) as object) } as MachineEvent; // as its shape says
  return { id: Number(id), at: time, event: cutEvent(event) };
}

/** Removes unknown fields of a requester. */
function plain(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { protocol, user, address } = value;
  return { protocol, user, address };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Maximum characters of a text in an entry: 512 entries fit into a ConfigMap (1 MiB), even with escapes. */
const MAX_TEXT = 64;

/** Truncates the texts of an event, which clients choose. */
export function cutEvent(event: MachineEvent): MachineEvent {
  return cut(event) as MachineEvent; // only texts change, to other texts
}

function cut(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= MAX_TEXT ? value : `${value.slice(0, MAX_TEXT - 1)}…`;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cut(inner)]));
}
