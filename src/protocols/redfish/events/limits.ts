import { base, RedfishError } from '../messages/index.ts';

/** How many subscriptions are kept, and how many of them any one account may have: there is room left for others. */
export const SUBSCRIPTION_LIMITS = { all: 32, ofOne: 16 };
/** How many streams are open at a time, likewise. */
export const STREAM_LIMITS = { all: 16, ofOne: 4 };

/** @throws RedfishError 503 where there is no room for one more of this owner */
export function admitOneMore(
  present: Iterable<{ readonly owner: string }>,
  owner: string,
  limits: { readonly all: number; readonly ofOne: number },
): void {
  const owners = [...present].map((one) => one.owner);
  if (owners.length < limits.all && owners.filter((one) => one === owner).length < limits.ofOne) return;
  throw new RedfishError(503, [base('EventSubscriptionLimitExceeded')], { 'Retry-After': '60' });
}
