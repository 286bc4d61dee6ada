import { base, RedfishError } from '../messages/index.ts';

/** Maximum number of subscriptions, in total and per account. */
export const SUBSCRIPTION_LIMITS = { all: 32, ofOne: 16 };
/** Maximum number of open streams, in total and per account. */
export const STREAM_LIMITS = { all: 16, ofOne: 4 };

/**
 * @param isOwn whether an existing item belongs to the account that adds one
 * @throws RedfishError 503 if a limit is reached
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
