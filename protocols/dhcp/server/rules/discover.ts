import { OPTION } from '../../options/option-code.ts';
import { isAtHome } from './network.ts';
import type { Rule } from './rule.ts';

/**
 * DISCOVER, RFC 2131 §4.3.1: an OFFER of the lease's address, whatever address is requested; with rapid commit an ACK at once
 * (RFC 4039 §3.1). No answer in another network: another server may serve the client there.
 */
export const discover: Rule = (request, lease) => {
  if (!isAtHome(request, lease)) return 'OtherNetwork';
  return request.packet.has(OPTION.rapidCommit) ? 'Ack' : 'Offer';
};
