import type { Ipv4, Lease } from '../../lease.ts';
import type { Origin } from '../../server-contract.ts';
import type { ClientRequest } from '../client-request.ts';

const SERVER_PORT = 67;
const CLIENT_PORT = 68;
const BROADCAST: Ipv4 = 0xffffffff;

/** Where an answer goes. */
export interface Destination {
  to: Ipv4;
  port: number;
}

/**
 * Where OFFER and ACK go, RFC 2131 §4.1: to the relay agent, or to the address that the client has, or to everybody. A client
 * that has no address yet and could do with unicast gets a broadcast all the same, as that section allows: one to an
 * address that nobody answers ARP for is not sent without privileges. So does one that says it has another address than
 * its lease's: it may hear that, and or else anybody could have us send to anywhere.
 */
export function answerDestination(
  request: ClientRequest,
  { ipAddress }: Lease,
  origin: Origin,
  destination: Destination,
): void {
  const { giaddr, ciaddr } = request.packet;
  if (giaddr !== 0) toRelayAgent(request, origin, destination);
  else toClient(ciaddr === ipAddress ? ciaddr : BROADCAST, destination);
}

/** Where a NAK goes, RFC 2131 §4.3.2: never to the address that it takes away. */
export function nakDestination(request: ClientRequest, origin: Origin, destination: Destination): void {
  if (request.packet.giaddr !== 0) toRelayAgent(request, origin, destination);
  else toClient(BROADCAST, destination);
}

/** Where the answer to INFORM goes, RFC 2131 §4.3.5: to the client itself, around any relay agent. */
export function informedDestination(request: ClientRequest, destination: Destination): void {
  toClient(request.packet.ciaddr, destination);
}

function toClient(address: Ipv4, destination: Destination): void {
  destination.to = address;
  destination.port = CLIENT_PORT;
}

/** RFC 8357 §5.2: one that does not send from the servers' port says so. */
function toRelayAgent({ packet, relay }: ClientRequest, { port }: Origin, destination: Destination): void {
  destination.to = packet.giaddr;
  destination.port = relay.wantsSourcePort ? port : SERVER_PORT;
}
