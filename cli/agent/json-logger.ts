import type { Logger } from '@groundcrew/controller-runtime';

/** As pino has them, which writes the manager's log. */
const LEVELS = { debug: 20, info: 30, warn: 40, error: 50 } as const;
const STANDARD_OUTPUT = 1;

type Level = keyof typeof LEVELS;

/** Writes lines as the manager's logger does, one JSON document each, at a megabyte less than pino takes. */
export function jsonLogger(level: string, write: (line: string) => void = writeOut): Logger {
  const least = Object.hasOwn(LEVELS, level) ? LEVELS[level as Level] : Infinity;
  return loggerWith({}, least, write);
}

function loggerWith(bound: object, least: number, write: (line: string) => void): Logger {
  const at = (level: Level) => (fields: object, message: string) => {
    if (LEVELS[level] < least) return;
    const head = { level: LEVELS[level], time: new Date().toISOString() };
    write(`${text({ ...head, ...bound, ...fields, msg: message }) ?? JSON.stringify({ ...head, msg: message })}\n`);
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => loggerWith({ ...bound, ...fields }, least, write),
  };
}

/** Undefined for what has a circle: a log is no reason to fail. */
function text(line: object): string | undefined {
  try {
    return JSON.stringify(line, readable);
  } catch {
    return undefined;
  }
}

/** JSON has neither: an Error's own parts are not enumerable, and a bigint makes it throw. */
function readable(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  const own = Object.fromEntries(Object.entries(value));
  return { ...own, type: name, message, stack, ...(cause === undefined ? {} : { cause }) };
}

/** An ESM import of node:fs loads its promises too, 3 MB. A log that nobody takes is no reason to serve nobody. */
function writeOut(line: string): void {
  try {
    process.getBuiltinModule('node:fs').writeFileSync(STANDARD_OUTPUT, line);
  } catch {
    // Its reader is gone.
  }
}
