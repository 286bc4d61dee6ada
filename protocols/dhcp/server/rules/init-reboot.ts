import { OPTION } from '../../options/option-code.ts';
import { isAtHome, isInNetwork } from './network.ts';
import type { Rule } from './rule.ts';

/**
 * REQUEST of a client that remembers an address, RFC 2131 §4.3.2 "INIT-REBOOT". Ours is the only server that knows it: what
 * it remembers is right or wrong. Where it asks from another network, an address of its lease's network is wrong there;
 * of any other we know nothing, and another server may have given it.
 */
export const initReboot: Rule = (request, lease) => {
  const asked = request.packet.u32(OPTION.requestedAddress);
  if (asked === undefined) return 'Malformed';
  if (isAtHome(request, lease)) return asked === lease.ipAddress ? 'Ack' : 'Nak';
  return isInNetwork(lease.settings, asked) ? 'Nak' : 'OtherNetwork';
};
