import type { Lease } from '../../lease.ts';
import type { Outcome } from '../../observer.ts';
import type { ClientRequest } from '../client-request.ts';

/** The decision about a message of a known client, without side effects. `Nak` assumes that the store is fresh. */
export type Rule = (request: ClientRequest, lease: Lease) => Outcome;
