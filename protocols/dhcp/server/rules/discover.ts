import { OPTION } from '../../options/option-code.ts';
import { isAtHome } from './network.ts';
import type { Rule } from './rule.ts';

/**
 * DISCOVER, RFC 2131 §4.3.1: whatever address the client would like, it is offered its own. With rapid commit it has it at
 * once (RFC 4039 §3.1). To one that asks from elsewhere there is nothing to say: another server may know it there.
 */
export const discover: Rule = (request, lease) => {
  if (!isAtHome(request, lease)) return 'OtherNetwork';
  return request.packet.has(OPTION.rapidCommit) ? 'Ack' : 'Offer';
};
