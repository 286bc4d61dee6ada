import type { Ipv4, Lease } from '../../lease.ts';
import type { Origin } from '../../server-contract.ts';
import type { ClientRequest } from '../client-request.ts';

const SERVER_PORT = 67;
const CLIENT_PORT = 68;
const BROADCAST: Ipv4 = 0xffffffff;

/** The destination of an answer. */
export interface Destination {
  to: Ipv4;
  port: number;
}

/**
 * Destination of OFFER and ACK, RFC 2131 §4.1: the relay agent, or the client's address, or broadcast. A client without an address
 * always gets a broadcast, as that section allows: unicast before the client answers ARP would need privileges. A client with
 * another address than its lease's also gets a broadcast: otherwise a forged packet could direct traffic to any address.
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

/** Destination of a NAK, RFC 2131 §4.3.2: never the address that it withdraws. */
export function nakDestination(request: ClientRequest, origin: Origin, destination: Destination): void {
  if (request.packet.giaddr !== 0) toRelayAgent(request, origin, destination);
  else toClient(BROADCAST, destination);
}

/** Destination of the answer to INFORM, RFC 2131 §4.3.5: the client itself, not a relay agent. */
export function informedDestination(request: ClientRequest, destination: Destination): void {
  toClient(request.packet.ciaddr, destination);
}

function toClient(address: Ipv4, destination: Destination): void {
  destination.to = address;
  destination.port = CLIENT_PORT;
}

/** RFC 8357 §5.2: a relay agent that does not send from the server port declares its port. */
function toRelayAgent({ packet, relay }: ClientRequest, { port }: Origin, destination: Destination): void {
  destination.to = packet.giaddr;
  destination.port = relay.wantsSourcePort ? port : SERVER_PORT;
}
