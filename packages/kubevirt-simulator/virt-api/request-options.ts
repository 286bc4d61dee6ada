import { parse } from 'yaml';
import { StatusError } from '../kubevirt/status-error.ts';

/** The options that a request may carry; each request reads those that are its own. */
export interface RequestOptions {
  paused: boolean;
  dryRun: boolean;
  gracePeriod: number | undefined;
  gracePeriodSeconds: number | undefined;
}

/**
 * Reads the body of a request: JSON, YAML or nothing. Unknown fields are ignored.
 *
 * @throws StatusError 400 where the body or the type of a field is wrong
 */
export function parseRequestOptions(body: string): RequestOptions {
  const document = parseDocument(body) ?? {};
  if (typeof document !== 'object' || Array.isArray(document)) throw unreadable('it is not an object');
  const { paused, dryRun, gracePeriod, gracePeriodSeconds } = document as Record<string, unknown>;
  const dryRuns = dryRun ?? [];
  if (typeof (paused ?? false) !== 'boolean') throw unreadable('paused is not a boolean');
  if (!Array.isArray(dryRuns) || dryRuns.some((value) => value !== 'All')) throw unreadable('dryRun is not ["All"]');
  return {
    paused: paused === true,
    dryRun: dryRuns.length > 0,
    gracePeriod: secondsOf('gracePeriod', gracePeriod),
    gracePeriodSeconds: secondsOf('gracePeriodSeconds', gracePeriodSeconds),
  };
}

function secondsOf(field: string, value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw unreadable(`${field} is not an integer`);
}

function parseDocument(body: string): unknown {
  try {
    return parse(body) as unknown;
  } catch {
    throw unreadable('it is neither JSON nor YAML');
  }
}

function unreadable(why: string): StatusError {
  return StatusError.badRequest(`Can not unmarshal Request body to struct, error: ${why}`);
}
