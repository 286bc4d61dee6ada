import type { LogEntry, MachineEvent } from '../../../protocols/machine/index.ts';
import { cutEvent } from './cut-event.ts';

type Kind = MachineEvent['kind'];
type EventOf<K extends Kind> = Extract<MachineEvent, { kind: K }>;
type Check = (value: unknown) => boolean;
/** What each field of each kind of event may be; the compiler wants all of them. */
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
const outcome = oneOf('Accepted', 'Refused');

const SHAPES: Shapes = {
  PowerState: { state: oneOf('On', 'Off') },
  PowerAction: {
    action: oneOf(
      'On',
      'ForceOff',
      'GracefulShutdown',
      'GracefulRestart',
      'ForceRestart',
      'PowerCycle',
      'Pause',
      'Resume',
      'DiagnosticInterrupt',
    ),
    outcome,
    requester,
  },
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

/** An entry as one line of JSON, for people as well: `{"id":7,"at":"2026-01-01T00:00:00.000Z","kind":"PowerState","state":"On"}`. */
export function encodeEntry({ id, at, event }: LogEntry): string {
  return JSON.stringify({ id, at: new Date(at).toISOString(), ...event });
}

/** The entry in a line; undefined: there is none that this version knows. Fields that do not belong to an entry are left out. */
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

/** A requester without what a person may have written beside it. */
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
