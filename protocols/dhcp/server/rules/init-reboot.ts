import { OPTION } from '../../options/option-code.ts';
import { isAtHome, isInNetwork } from './network.ts';
import type { Rule } from './rule.ts';

/**
 * REQUEST of a client with a remembered address, RFC 2131 §4.3.2 "INIT-REBOOT". Only this server and its siblings know the client,
 * so the address is right or wrong. In another network, an address of its lease's network is wrong; any other address may have been
 * assigned by another server, so there is no answer.
 */
export const initReboot: Rule = (request, lease) => {
  const asked = request.packet.u32(OPTION.requestedAddress);
  if (asked === undefined) return 'Malformed';
  if (isAtHome(request, lease)) return asked === lease.ipAddress ? 'Ack' : 'Nak';
  return isInNetwork(lease.settings, asked) ? 'Nak' : 'OtherNetwork';
};
