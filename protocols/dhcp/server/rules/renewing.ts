import type { Rule } from './rule.ts';

/**
 * REQUEST of a client that has an address and asks us alone to have it for longer, RFC 2131 §4.3.2 "RENEWING". Its address
 * is one that it can be reached by, so where it asks from does not matter. One that is not its own (any more) it must leave.
 */
export const renewing: Rule = ({ packet }, lease) => (packet.ciaddr === lease.ipAddress ? 'Ack' : 'Nak');
