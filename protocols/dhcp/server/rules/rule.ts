import type { Lease } from '../../lease.ts';
import type { Outcome } from '../../observer.ts';
import type { ClientRequest } from '../client-request.ts';

/**
 * What is to come of a message of a known client: a decision and nothing else. `Nak` is what would be right if the lease
 * is still as we know it.
 */
export type Rule = (request: ClientRequest, lease: Lease) => Outcome;
