import { StatusError } from '../status.ts';

/** A resourceVersion from a query, or what is wrong with it, in Go's words. '' and '0' are 0. */
export function parseResourceVersion(text: string): number | { problem: string } {
  if (text === '') return 0;
  if (/^\d+$/.test(text)) return Number(text);
  const quoted = JSON.stringify(text);
  return { problem: `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax` };
}

/** The resourceVersion of a GET or of a watch. Throws the 500 that kube-apiserver answers for one that is no number. */
export function readResourceVersion(text: string): number {
  const version = parseResourceVersion(text);
  if (typeof version === 'number') return version;
  throw new StatusError(500, '', version.problem);
}

/** 504 for a version that the store has not come to. */
export function tooLarge(revision: number, current: number): StatusError {
  return new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${revision}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}
