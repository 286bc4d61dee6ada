import type { Logger } from '@groundcrew/controller-runtime';
import { LineOutput } from './line-output.ts';

const LEVELS = { debug: 20, info: 30, warn: 40, error: 50 } as const;

type Level = keyof typeof LEVELS;

interface JsonLoggerOptions {
  /** Default: to standard output, see {@link LineOutput}. `isUrgent`: a warning or an error. */
  write?: (line: string, isUrgent: boolean) => void;
  /** Further fields of a line; called for each line that is written. */
  more?: () => object;
}

/** Writes one JSON document per line, like the manager's logger, with 1 MB less memory than pino. */
export function jsonLogger(
  level: string,
  { write = new LineOutput().add, more = () => ({}) }: JsonLoggerOptions = {},
): Logger {
  const least = Object.hasOwn(LEVELS, level) ? LEVELS[level as Level] : Infinity;
  return loggerWith({}, { least, write, more });
}

interface Sink extends Required<JsonLoggerOptions> {
  least: number;
}

function loggerWith(bound: object, sink: Sink): Logger {
  const { least, write, more } = sink;
  const at = (level: Level) => (fields: object, message: string) => {
    if (LEVELS[level] < least) return;
    const [time, added] = [timestamp(), more()];
    const line =
      text({ level, time, ...added, ...bound, ...fields, msg: message }) ??
      JSON.stringify({ level, time, ...added, msg: message });
    write(`${line}\n`, LEVELS[level] >= LEVELS.warn);
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => loggerWith({ ...bound, ...fields }, sink),
  };
}

let shownAt = NaN;
let shown = '';

/** The time now. Many lines are of the same millisecond, and its text takes 0.5 µs of a line's 1.3 µs. */
function timestamp(): string {
  const now = Date.now();
  if (now !== shownAt) [shownAt, shown] = [now, new Date(now).toISOString()];
  return shown;
}

/** Undefined for circular structures: logging must not throw. */
function text(line: object): string | undefined {
  try {
    // Most lines have plain values only, and a replacer takes longer than all the rest.
    return JSON.stringify(line, Object.values(line).every(isPlain) ? undefined : readable);
  } catch {
    return undefined;
  }
}

/** Whether JSON.stringify writes it as it is meant, without {@link readable}. */
function isPlain(value: unknown): boolean {
  return typeof value !== 'object' && typeof value !== 'bigint';
}

/** JSON.stringify omits the fields of an Error, because they are not enumerable, and throws for a bigint. */
function readable(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  const own = Object.fromEntries(Object.entries(value));
  return { ...own, type: name, message, stack, ...(cause === undefined ? {} : { cause }) };
}
