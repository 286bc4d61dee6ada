import { base, RedfishError } from '../messages/index.ts';

/** How many subscriptions are kept, and how many of them any one account may have: there is room left for others. */
export const SUBSCRIPTION_LIMITS = { all: 32, ofOne: 16 };
/** How many streams are open at a time, likewise. */
export const STREAM_LIMITS = { all: 16, ofOne: 4 };

/**
 * @param isOwn tells of those that are there whether they are of the account that wants one more
 * @throws RedfishError 503 where there is no room for that
 */
export function admitOneMore<T>(
  present: Iterable<T>,
  isOwn: (one: T) => boolean,
  limits: { readonly all: number; readonly ofOne: number },
): void {
  const all = [...present];
  if (all.length < limits.all && all.filter(isOwn).length < limits.ofOne) return;
  throw new RedfishError(503, [base('EventSubscriptionLimitExceeded')], { 'Retry-After': '60' });
}
