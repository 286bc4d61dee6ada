import { base, RedfishError } from '../../messages/index.ts';

/** The request requires a log-in. The error is the same for every reason, so that it reveals nothing. */
export function unauthorized(): RedfishError {
  return new RedfishError(401, [
    {
      ...base('NoValidSession'),
      Resolution: 'Check user name and password, or log in anew.  Some wrong ones lock a user out for a while.',
    },
  ]);
}

/** @param wait ms until the next attempt makes sense */
export function tooManyWrong(wait: number): RedfishError {
  const seconds = String(Math.max(1, Math.ceil(wait / 1000)));
  return new RedfishError(429, [base('ServiceTemporarilyUnavailable', [seconds])], { 'Retry-After': seconds });
}
