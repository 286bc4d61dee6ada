import type { ContainerLog, LogLine } from './container-log.ts';

/** What of a log is asked for (core/v1 PodLogOptions). */
export interface LogQuery {
  follow: boolean;
  previous: boolean;
  timestamps: boolean;
  tailLines: number | undefined;
  limitBytes: number | undefined;
  /** Milliseconds since 1970: nothing older. */
  since: number | undefined;
}

/** Reads the query of `/containerLogs`. @throws RangeError for a number that is none */
export function parseLogQuery(search: URLSearchParams, now: number): LogQuery {
  const sinceSeconds = numberOf(search, 'sinceSeconds');
  const sinceTime = search.get('sinceTime');
  return {
    follow: search.get('follow') === 'true',
    previous: search.get('previous') === 'true',
    timestamps: search.get('timestamps') === 'true',
    tailLines: numberOf(search, 'tailLines'),
    limitBytes: numberOf(search, 'limitBytes'),
    since:
      sinceSeconds === undefined ? (sinceTime === null ? undefined : Date.parse(sinceTime)) : now - sinceSeconds * 1000,
  };
}

function numberOf(search: URLSearchParams, name: string): number | undefined {
  const text = search.get(name);
  if (text === null || text === '') return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${name} must be a whole number, not ${text}`);
  return value;
}

/** The text that answers a query, in pieces of a line each. */
export async function* readLog(log: ContainerLog, query: LogQuery, signal: AbortSignal): AsyncGenerator<string, void> {
  let left = query.limitBytes ?? Number.POSITIVE_INFINITY;
  for await (const line of select(log, query, signal)) {
    if (query.since !== undefined && Date.parse(line.time) < query.since) continue;
    const text = Buffer.from(query.timestamps ? `${line.time} ${line.text}\n` : `${line.text}\n`);
    yield text.subarray(0, left).toString('utf8');
    left -= text.length;
    if (left <= 0) return;
  }
}

async function* select(log: ContainerLog, query: LogQuery, signal: AbortSignal): AsyncGenerator<LogLine, void> {
  // Both begin in this moment, so that no line falls between them and none comes twice.
  const following = query.follow ? log.follow(signal) : undefined;
  const lines = log.lines();
  if (query.tailLines === undefined) yield* lines;
  else yield* await last(lines, query.tailLines);
  if (following !== undefined) yield* following;
}

async function last(lines: AsyncIterable<LogLine>, count: number): Promise<LogLine[]> {
  const kept: LogLine[] = [];
  for await (const line of lines) {
    kept.push(line);
    if (kept.length > count) kept.shift();
  }
  return kept;
}
