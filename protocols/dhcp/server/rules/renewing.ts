import type { Rule } from './rule.ts';

/**
 * REQUEST of a client that extends its lease with this server, RFC 2131 §4.3.2 "RENEWING". The client is reachable at its address,
 * so its network is not checked. For an address that is not (or no longer) its lease's, it gets a NAK.
 */
export const renewing: Rule = ({ packet }, lease) => (packet.ciaddr === lease.ipAddress ? 'Ack' : 'Nak');
