import { MESSAGE_TYPE } from '../codec/header.ts';
import type { MessageType, Outcome } from '../server-contract.ts';
import type { Lease } from '../lease.ts';
import { type ClientRequest, isAtHome, isInNetwork, namedServer } from './client-request.ts';
import { OPTION } from '../options/option-code.ts';

/** The decision about a message of a known client, without side effects. `Nak` assumes that the store is fresh. */
type Rule = (request: ClientRequest, lease: Lease) => Outcome;

/**
 * DISCOVER, RFC 2131 §4.3.1: an OFFER of the lease's address, whatever address is requested; with rapid commit an ACK at once
 * (RFC 4039 §3.1). No answer in another network: another server may serve the client there.
 */
const discover: Rule = (request, lease) => {
  if (!isAtHome(request, lease)) return 'OtherNetwork';
  return request.packet.has(OPTION.rapidCommit) ? 'Ack' : 'Offer';
};

/**
 * REQUEST: its meaning depends on the client's state, which follows from its fields (RFC 2131 §4.3.2, table 4). Renewing and
 * rebinding without a relay agent look the same and have the same answer.
 */
const request: Rule = (asked, lease) => {
  switch (namedServer(asked, lease)) {
    case 'us':
      return selecting(asked, lease);
    case 'none':
      break;
    default:
      return 'OtherServer';
  }
  const { ciaddr, giaddr } = asked.packet;
  if (ciaddr === 0) return initReboot(asked, lease);
  return giaddr === 0 ? renewing(asked, lease) : rebinding(asked, lease);
};

/**
 * REQUEST of a client that accepts an offer of this server, RFC 2131 §4.3.2 "SELECTING". RFC 1541 clients put the requested address
 * in `ciaddr`.
 */
const selecting: Rule = (request, lease) => {
  const { packet } = request;
  const asked = packet.u32(OPTION.requestedAddress) ?? packet.ciaddr;
  if (asked === 0) return 'Malformed';
  return asked === lease.ipAddress && isAtHome(request, lease) ? 'Ack' : 'Nak';
};

/**
 * REQUEST of a client with a remembered address, RFC 2131 §4.3.2 "INIT-REBOOT". Only this server and its siblings know the client,
 * so the address is right or wrong. In another network, an address of its lease's network is wrong; any other address may have been
 * assigned by another server, so there is no answer.
 */
const initReboot: Rule = (request, lease) => {
  const asked = request.packet.u32(OPTION.requestedAddress);
  if (asked === undefined) return 'Malformed';
  if (isAtHome(request, lease)) return asked === lease.ipAddress ? 'Ack' : 'Nak';
  return isInNetwork(lease.settings, asked) ? 'Nak' : 'OtherNetwork';
};

/**
 * REQUEST of a client that extends its lease with this server, RFC 2131 §4.3.2 "RENEWING". The client is reachable at its address,
 * so its network is not checked. For an address that is not (or no longer) its lease's, it gets a NAK.
 */
const renewing: Rule = ({ packet }, lease) => (packet.ciaddr === lease.ipAddress ? 'Ack' : 'Nak');

/**
 * REQUEST of a client with an address, broadcast to all servers and relayed, RFC 2131 §4.3.2 "REBINDING". Unlike a renewing client,
 * it may be in another network now, where its address does not work.
 */
const rebinding: Rule = (request, lease) => {
  const { ciaddr } = request.packet;
  if (isAtHome(request, lease)) return ciaddr === lease.ipAddress ? 'Ack' : 'Nak';
  return isInNetwork(lease.settings, ciaddr) ? 'Nak' : 'OtherNetwork';
};

/**
 * DECLINE, RFC 2131 §4.3.3: another host uses the address. It is reported, the lease does not change, and there is no answer.
 * A DECLINE to a sibling is also reported: a client may choose either server each time.
 */
const decline: Rule = (request, lease) => {
  const server = namedServer(request, lease);
  if (server === 'none') return 'Malformed';
  if (server === 'stranger') return 'OtherServer';
  return request.packet.u32(OPTION.requestedAddress) === lease.ipAddress ? 'Noted' : 'Ignored';
};

/** RELEASE, RFC 2131 §4.3.4. The address stays assigned to the client: the control plane assigns addresses. */
const release: Rule = (request, lease) => {
  const server = namedServer(request, lease);
  if (server === 'none') return 'Malformed';
  if (server !== 'us') return 'OtherServer';
  return request.packet.ciaddr === lease.ipAddress ? 'Noted' : 'Ignored';
};

/**
 * INFORM, RFC 2131 §4.3.5: the client has an address and requests options. The answer goes to that address, which must be in its
 * network: otherwise a forged packet could direct traffic to any address.
 */
const inform: Rule = ({ packet }, lease) => {
  if (packet.ciaddr === 0) return 'Malformed';
  return isInNetwork(lease.settings, packet.ciaddr) ? 'Ack' : 'OtherNetwork';
};

/** A message type that servers receive, and its rule. */
export interface MessageKind {
  readonly type: MessageType;
  readonly decide: Rule;
}

const UNKNOWN: MessageKind = { type: 'Unknown', decide: () => 'Ignored' };

const KINDS = new Map<number, MessageKind>([
  [MESSAGE_TYPE.discover, { type: 'Discover', decide: discover }],
  [MESSAGE_TYPE.request, { type: 'Request', decide: request }],
  [MESSAGE_TYPE.decline, { type: 'Decline', decide: decline }],
  [MESSAGE_TYPE.release, { type: 'Release', decide: release }],
  [MESSAGE_TYPE.inform, { type: 'Inform', decide: inform }],
]);

/** By option 53. BOOTP messages, without the option, and server messages get no answer. */
export function messageKind(type: number | undefined): MessageKind {
  return (type === undefined ? undefined : KINDS.get(type)) ?? UNKNOWN;
}
