import { base, RedfishError } from '../../messages/index.ts';

/** What is asked for needs somebody who is logged in. It is the same for whoever is refused, so that nobody learns why. */
export function unauthorized(): RedfishError {
  return new RedfishError(401, [
    {
      ...base('NoValidSession'),
      Resolution: 'Check user name and password, or log in anew.  Some wrong ones lock a user out for a while.',
    },
  ]);
}

/** @param wait ms until it is worth another try */
export function tooManyWrong(wait: number): RedfishError {
  const seconds = String(Math.max(1, Math.ceil(wait / 1000)));
  return new RedfishError(429, [base('ServiceTemporarilyUnavailable', [seconds])], { 'Retry-After': seconds });
}
